import { B as child, D as comment, E as append, G as set, H as only_child, J as pop, K as state, L as template_effect, M as delegated, N as event, O as from_html, P as get, Q as to_array, S as if_block, T as set_text, U as sibling, V as first_child, W as proxy, Y as push, Z as reset, c as remove_input_defaults, d as set_value, f as init_select, h as set_class, j as delegate, l as set_attribute, p as select_option, q as user_derived, y as each } from "./disclose-version.js";
import { g as setInput, n as inWords, t as run } from "./run.svelte.js";
import { i as count, l as span } from "./units.js";
// src/parts/InputForm.svelte
var root = from_html(`<option> </option>`);
var root_1 = from_html(`<label class="svelte-c5rhj2"><span> </span> <span class="in svelte-c5rhj2"><input inputmode="decimal" placeholder="no limit" class="svelte-c5rhj2"/> <em class="svelte-c5rhj2"> </em></span></label>`);
var root_2 = from_html(`<div class="apply svelte-c5rhj2"><button class="btn primary" type="submit">Apply</button> <button class="btn" type="button">Revert</button></div>`);
var root_3 = from_html(`<p class="alarm" role="alert"> </p>`);
var root_4 = from_html(`<p class="faint note svelte-c5rhj2"> </p>`);
var root_5 = from_html(`<p class="faint note svelte-c5rhj2">A change makes a new edge: what waits in the old one is still delivered.</p>`);
var root_6 = from_html(`<dt class="svelte-c5rhj2"> </dt><dd class="svelte-c5rhj2"> </dd>`, 1);
var root_7 = from_html(`<form><label class="svelte-c5rhj2"><span>From</span> <select></select></label> <label title="What becomes of a frame that finds the queue full" class="svelte-c5rhj2"><span>When full</span> <select data-input="when_full"></select></label> <!> <!> <!> <!> <!></form> <h2 class="svelte-c5rhj2">Account <span>since the run began</span></h2> <dl class="svelte-c5rhj2"><dt class="svelte-c5rhj2">Offered</dt><dd class="svelte-c5rhj2"> </dd> <dt class="svelte-c5rhj2">Delivered</dt><dd class="svelte-c5rhj2"> </dd> <dt class="svelte-c5rhj2">Queued</dt><dd class="svelte-c5rhj2"> </dd> <dt class="svelte-c5rhj2">Left out as asked</dt><dd class="asked svelte-c5rhj2"> </dd> <dt class="svelte-c5rhj2">Lost</dt><dd> </dd> <!> <dt class="svelte-c5rhj2">Waiting time, p99</dt><dd class="svelte-c5rhj2"> </dd></dl>`, 1);
var root_8 = from_html(`<p class="dim"> </p>`);
function InputForm($$anchor, $$props) {
	push($$props, true);
	const edge = user_derived(() => run.edgeTo($$props.node));
	const place = user_derived(() => get(edge) ? run.graph.edges.indexOf(get(edge)) : -1);
	const now = user_derived(() => run.moment?.edges);
	const isInline = user_derived(() => run.node($$props.node)?.placement === "inline");
	const others = user_derived(() => run.graph.edges.filter((other) => other !== get(edge) && other.open && other.nodes[1] === run.byName.get($$props.node)));
	const mayChange = user_derived(() => run.mayWrite && !get(isInline));
	const outputs = user_derived(() => run.nodes.filter((other) => other.name !== $$props.node).flatMap((other) => other.outputs.map((o) => o.name)));
	const losses = user_derived(() => (run.moment?.losses ?? []).filter(([at]) => at === get(place)));
	let problem = state("");
	let change = state(proxy({}));
	const FIELDS = [
		[
			"queue",
			"Queue",
			"frames",
			"How many frames may wait."
		],
		[
			"every",
			"Every",
			"frames",
			"One frame in so many is offered; the others are left out as asked."
		],
		[
			"max_rate_hz",
			"At most",
			"Hz",
			"What comes faster is left out as asked; 0 is no limit."
		]
	];
	const POLICIES = [
		["drop_newest", "lose the new frame"],
		["drop_oldest", "lose the oldest that waits"],
		["latest", "keep only the newest (as asked)"],
		["block", "let the sender wait"],
		["fail", "end the run"]
	];
	async function apply() {
		const numbers = FIELDS.flatMap(([key]) => get(change)[key] === void 0 ? [] : [[key, Number(get(change)[key])]]);
		const wish = {
			...Object.fromEntries(numbers),
			...get(change).from === void 0 ? {} : { from: get(change).from },
			...get(change).when_full === void 0 ? {} : { when_full: get(change).when_full }
		};
		try {
			run.learn(await setInput($$props.node, wish));
			(($$value) => {
				var $$array = to_array($$value, 2);
				set(change, $$array[0], true);
				set(problem, $$array[1], true);
			})([{}, ""]);
		} catch (failure) {
			set(problem, failure.message, true);
		}
	}
	var fragment = comment();
	var node_1 = first_child(fragment);
	var consequent_4 = ($$anchor) => {
		var fragment_1 = root_7();
		var form = first_child(fragment_1);
		var label = child(form);
		var select = sibling(child(label), 2);
		each(select, 20, () => get(outputs), (output) => output, ($$anchor, output) => {
			var option = root();
			var text = only_child(option, true);
			var option_value = {};
			template_effect(() => {
				set_text(text, output);
				if (option_value !== (option_value = output)) option.__value = option_value;
			});
			append($$anchor, option);
		});
		reset(select);
		var select_value;
		init_select(select);
		reset(label);
		var label_1 = sibling(label, 2);
		var select_1 = sibling(child(label_1), 2);
		each(select_1, 21, () => POLICIES, ([name, meaning]) => name, ($$anchor, $$item) => {
			var $$array_1 = user_derived(() => to_array(get($$item), 2));
			let name = () => get($$array_1)[0];
			let meaning = () => get($$array_1)[1];
			var option_1 = root();
			var text_1 = only_child(option_1, true);
			var option_1_value = {};
			template_effect(() => {
				set_text(text_1, meaning());
				if (option_1_value !== (option_1_value = name())) option_1.value = (option_1.__value = option_1_value) ?? "";
			});
			append($$anchor, option_1);
		});
		reset(select_1);
		var select_1_value;
		init_select(select_1);
		reset(label_1);
		var node_2 = sibling(label_1, 2);
		each(node_2, 17, () => FIELDS, ([key, title, unit, hint]) => key, ($$anchor, $$item) => {
			var $$array_2 = user_derived(() => to_array(get($$item), 4));
			let key = () => get($$array_2)[0];
			let title = () => get($$array_2)[1];
			let unit = () => get($$array_2)[2];
			let hint = () => get($$array_2)[3];
			var label_2 = root_1();
			var span_1 = child(label_2);
			var text_2 = only_child(span_1, true);
			var span_2 = sibling(span_1, 2);
			var input = child(span_2);
			remove_input_defaults(input);
			var em = sibling(input, 2);
			var text_3 = only_child(em, true);
			reset(span_2);
			reset(label_2);
			template_effect(() => {
				set_attribute(label_2, "title", hint());
				set_text(text_2, title());
				input.disabled = !get(mayChange);
				set_attribute(input, "data-input", key());
				set_value(input, get(change)[key()] ?? get(edge)[key()] ?? "");
				set_text(text_3, unit());
			});
			delegated("input", input, (e) => set(change, {
				...get(change),
				[key()]: e.currentTarget.value
			}, true));
			append($$anchor, label_2);
		});
		var node_3 = sibling(node_2, 2);
		var consequent = ($$anchor) => {
			var div = root_2();
			var button = sibling(child(div), 2);
			reset(div);
			delegated("click", button, () => (($$value) => {
				var $$array_3 = to_array($$value, 2);
				set(change, $$array_3[0], true);
				set(problem, $$array_3[1], true);
				return $$value;
			})([{}, ""]));
			append($$anchor, div);
		};
		var d = user_derived(() => Object.keys(get(change)).length > 0);
		if_block(node_3, ($$render) => {
			if (get(d)) $$render(consequent);
		});
		var node_4 = sibling(node_3, 2);
		var consequent_1 = ($$anchor) => {
			var p = root_3();
			var text_4 = only_child(p, true);
			template_effect(() => set_text(text_4, get(problem)));
			append($$anchor, p);
		};
		if_block(node_4, ($$render) => {
			if (get(problem)) $$render(consequent_1);
		});
		var node_5 = sibling(node_4, 2);
		var consequent_2 = ($$anchor) => {
			var p_1 = root_4();
			var text_5 = only_child(p_1);
			template_effect(() => set_text(text_5, `${$$props.node ?? ""} runs inline, where its frames are sent: it has no queue, and its input cannot change while the run goes on.`));
			append($$anchor, p_1);
		};
		var alternate = ($$anchor) => {
			var p_2 = root_5();
			append($$anchor, p_2);
		};
		if_block(node_5, ($$render) => {
			if (get(isInline)) $$render(consequent_2);
			else $$render(alternate, -1);
		});
		var node_6 = sibling(node_5, 2);
		var consequent_3 = ($$anchor) => {
			var p_3 = root_4();
			var text_6 = only_child(p_3);
			template_effect(($0) => set_text(text_6, `This is the edge to its first input. ${$0 ?? ""}
        ${get(others).length === 1 ? "stays as the file has it" : "stay as the file has them"}.`), [() => get(others).map(({ from, to }) => `${from} → ${to}`).join(", ")]);
			append($$anchor, p_3);
		};
		if_block(node_6, ($$render) => {
			if (get(others).length > 0) $$render(consequent_3);
		});
		reset(form);
		var dl = sibling(form, 4);
		var dd = sibling(child(dl));
		var text_7 = only_child(dd, true);
		var dd_1 = sibling(dd, 3);
		var text_8 = only_child(dd_1, true);
		var dd_2 = sibling(dd_1, 3);
		var text_9 = only_child(dd_2);
		var dd_3 = sibling(dd_2, 3);
		var text_10 = only_child(dd_3, true);
		var dd_4 = sibling(dd_3, 3);
		let classes;
		var text_11 = only_child(dd_4, true);
		var node_7 = sibling(dd_4, 2);
		each(node_7, 17, () => get(losses), ([, reason, n]) => reason, ($$anchor, $$item) => {
			var $$array_4 = user_derived(() => to_array(get($$item), 3));
			let reason = () => get($$array_4)[1];
			let n = () => get($$array_4)[2];
			var fragment_2 = root_6();
			var dt = first_child(fragment_2);
			var text_12 = only_child(dt);
			var dd_5 = sibling(dt);
			var text_13 = only_child(dd_5, true);
			template_effect(($0, $1) => {
				set_text(text_12, ` ${$0 ?? ""}`);
				set_text(text_13, $1);
			}, [() => inWords(reason()), () => count(n())]);
			append($$anchor, fragment_2);
		});
		var dd_6 = sibling(node_7, 3);
		var text_14 = only_child(dd_6, true);
		reset(dl);
		template_effect(($0, $1, $2, $3, $4, $5, $6) => {
			set_attribute(form, "aria-label", `Input of ${$$props.node ?? ""}`);
			select.disabled = !get(mayChange);
			if (select_value !== (select_value = get(change).from ?? get(edge).from)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
			select_1.disabled = !get(mayChange);
			if (select_1_value !== (select_1_value = get(change).when_full ?? get(edge).when_full)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
			set_text(text_7, $0);
			set_text(text_8, $1);
			set_text(text_9, `${$2 ?? ""} of ${$3 ?? ""}`);
			set_text(text_10, $4);
			classes = set_class(dd_4, 1, "svelte-c5rhj2", null, classes, { warn: (get(now)?.lost[get(place)] ?? 0) > 0 });
			set_text(text_11, $5);
			set_text(text_14, $6);
		}, [
			() => count(get(now)?.offered[get(place)]),
			() => count(get(now)?.delivered[get(place)]),
			() => count(get(now)?.queued[get(place)]),
			() => count(get(now)?.capacity[get(place)]),
			() => count(get(now)?.left_out[get(place)]),
			() => count(get(now)?.lost[get(place)]),
			() => span((get(now)?.waiting_p99_ms[get(place)] ?? 0) * 1e6)
		]);
		event("submit", form, (event) => (event.preventDefault(), void apply()));
		delegated("change", select, (e) => set(change, {
			...get(change),
			from: e.currentTarget.value
		}, true));
		delegated("change", select_1, (e) => set(change, {
			...get(change),
			when_full: e.currentTarget.value
		}, true));
		append($$anchor, fragment_1);
	};
	var alternate_1 = ($$anchor) => {
		var p_4 = root_8();
		var text_15 = only_child(p_4);
		template_effect(() => set_text(text_15, `${$$props.node ?? ""} is a source: it has no input.`));
		append($$anchor, p_4);
	};
	if_block(node_1, ($$render) => {
		if (get(edge)) $$render(consequent_4);
		else $$render(alternate_1, -1);
	});
	append($$anchor, fragment);
	pop();
}
delegate([
	"change",
	"input",
	"click"
]);
export { InputForm as default };
