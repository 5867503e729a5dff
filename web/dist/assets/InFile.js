import { $t as reset, At as from_html, Dt as set_text, Ft as event, Gt as sibling, Ht as child, It as get, Jt as state, Nt as delegate, Ot as append, Pt as delegated, S as drafts, St as each, Tt as if_block, Ut as first_child, Wt as only_child, Xt as pop, Yt as user_derived, Zt as push, at as prop, dt as set_attribute, ft as set_checked, gt as select_option, ht as init_select, kt as comment, pt as set_value, qt as set, tn as to_array, ut as remove_input_defaults, vt as set_class, z as run, zt as template_effect } from "./page.js";
import { n as parse, r as readable, t as editable } from "./form.js";
// src/parts/Field.svelte
var root$1 = from_html(`<label><input type="checkbox"/> </label>`);
var root_1 = from_html(`<option> </option>`);
var root_2 = from_html(`<select></select>`);
var root_3 = from_html(`<em aria-hidden="true" class="svelte-1laokb0"> </em>`);
var root_4 = from_html(`<span><input type="text" autocomplete="off" spellcheck="false" class="svelte-1laokb0"/> <!></span>`);
function Field($$anchor, $$props) {
	push($$props, true);
	let mark = prop($$props, "mark", 3, ""), problem = prop($$props, "problem", 3, () => {});
	const draft = user_derived(() => drafts.of($$props.node)[$$props.spec.name]);
	const value = user_derived(() => get(draft) ?? run.value($$props.node, $$props.spec.name));
	const bad = user_derived(() => drafts.refusal($$props.node)?.param === $$props.spec.name);
	let text = state(null);
	let wrong = state(false);
	const disabled = user_derived(() => !run.mayWrite);
	const label = user_derived(() => `${$$props.spec.name}${$$props.spec.unit ? ` in ${$$props.spec.unit}` : ""}`);
	const unit = user_derived(() => mark() || ($$props.spec.unit ?? ""));
	function set$1(next) {
		drafts.set($$props.node, { [$$props.spec.name]: next });
	}
	function type(entered) {
		set(text, entered, true);
		const parsed = parse($$props.spec, entered);
		set(wrong, "problem" in parsed);
		problem()("problem" in parsed ? parsed.problem : "");
		if ("value" in parsed) set$1(parsed.value);
	}
	function leave() {
		if (get(wrong)) problem()("");
		(($$value) => {
			var $$array = to_array($$value, 2);
			set(text, $$array[0], true);
			set(wrong, $$array[1], true);
		})([null, false]);
	}
	function key(event) {
		if (event.key === "Enter" && !get(wrong)) drafts.apply($$props.node);
		if (event.key === "Escape") {
			leave();
			drafts.revert($$props.node);
		}
	}
	var fragment = comment();
	var node_1 = first_child(fragment);
	var consequent = ($$anchor) => {
		var label_1 = root$1();
		let classes;
		var input = child(label_1);
		remove_input_defaults(input);
		var text_1 = sibling(input);
		reset(label_1);
		template_effect(() => {
			classes = set_class(label_1, 1, "check svelte-1laokb0", null, classes, {
				edit: get(draft) !== void 0,
				bad: get(bad)
			});
			set_checked(input, get(value) === true);
			input.disabled = get(disabled);
			set_attribute(input, "aria-label", get(label));
			set_attribute(input, "aria-describedby", $$props.describedBy);
			set_text(text_1, ` ${(mark() || (get(value) === true ? "on" : "off")) ?? ""}`);
		});
		delegated("change", input, (e) => set$1(e.currentTarget.checked));
		delegated("keydown", input, key);
		append($$anchor, label_1);
	};
	var consequent_1 = ($$anchor) => {
		var select = root_2();
		let classes_1;
		each(select, 21, () => $$props.spec.choices ?? [], (choice) => choice.name, ($$anchor, choice) => {
			var option = root_1();
			var text_2 = only_child(option, true);
			var option_value = {};
			template_effect(($0) => {
				set_attribute(option, "title", get(choice).doc);
				set_text(text_2, $0);
				if (option_value !== (option_value = get(choice).name)) option.value = (option.__value = option_value) ?? "";
			}, [() => get(choice).name.replaceAll("_", " ")]);
			append($$anchor, option);
		});
		reset(select);
		var select_value;
		init_select(select);
		template_effect(() => {
			select.disabled = get(disabled);
			set_attribute(select, "aria-label", get(label));
			set_attribute(select, "aria-describedby", $$props.describedBy);
			classes_1 = set_class(select, 1, "svelte-1laokb0", null, classes_1, {
				edit: get(draft) !== void 0,
				bad: get(bad)
			});
			if (select_value !== (select_value = get(value))) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		});
		delegated("change", select, (e) => set$1(e.currentTarget.value));
		delegated("keydown", select, key);
		append($$anchor, select);
	};
	var alternate = ($$anchor) => {
		var span = root_4();
		let classes_2;
		var input_1 = child(span);
		remove_input_defaults(input_1);
		var node_2 = sibling(input_1, 2);
		var consequent_2 = ($$anchor) => {
			var em = root_3();
			var text_3 = only_child(em, true);
			template_effect(() => set_text(text_3, get(unit)));
			append($$anchor, em);
		};
		if_block(node_2, ($$render) => {
			if (get(unit)) $$render(consequent_2);
		});
		reset(span);
		template_effect(($0, $1) => {
			classes_2 = set_class(span, 1, "in svelte-1laokb0", null, classes_2, {
				edit: get(draft) !== void 0,
				bad: get(bad) || get(wrong)
			});
			set_attribute(input_1, "inputmode", $$props.spec.type === "int" || $$props.spec.type === "float" ? "decimal" : "text");
			input_1.disabled = get(disabled);
			set_attribute(input_1, "aria-label", get(label));
			set_attribute(input_1, "aria-describedby", $$props.describedBy);
			set_attribute(input_1, "aria-invalid", get(bad) || get(wrong));
			set_value(input_1, $0);
			set_attribute(input_1, "data-param", $$props.spec.name);
			set_attribute(input_1, "title", $1);
		}, [() => get(text) ?? editable(get(value)), () => editable(get(value))]);
		delegated("input", input_1, (e) => type(e.currentTarget.value));
		event("blur", input_1, leave);
		delegated("keydown", input_1, key);
		append($$anchor, span);
	};
	if_block(node_1, ($$render) => {
		if ($$props.spec.type === "bool") $$render(consequent);
		else if ($$props.spec.type === "enum") $$render(consequent_1, 1);
		else $$render(alternate, -1);
	});
	append($$anchor, fragment);
	pop();
}
delegate([
	"change",
	"keydown",
	"input"
]);
// src/parts/InFile.svelte
var root = from_html(`<span class="file svelte-mmek5l"> <button type="button" class="svelte-mmek5l">↺</button></span>`);
function InFile($$anchor, $$props) {
	push($$props, true);
	const file = user_derived(() => run.inFile($$props.node, $$props.param));
	var span = root();
	var text = child(span);
	var button = sibling(text);
	reset(span);
	template_effect(($0, $1) => {
		set_text(text, `was ${$0 ?? ""} `);
		button.disabled = !run.mayWrite || get(file) === void 0;
		set_attribute(button, "aria-label", `Value of the pipeline file for ${$$props.param ?? ""}`);
		set_attribute(button, "title", `Enter the value of the pipeline file, ${$1 ?? ""}`);
	}, [() => readable(get(file)), () => readable(get(file))]);
	delegated("click", button, () => drafts.set($$props.node, { [$$props.param]: get(file) ?? null }));
	append($$anchor, span);
	pop();
}
delegate(["click"]);
export { Field as n, InFile as t };
