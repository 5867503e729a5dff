import { $t as reset, At as from_html, B as ApiError, Bt as user_effect, Dt as set_text, Gt as sibling, Ht as child, It as get, Jt as state, M as count, Nt as delegate, Ot as append, Pt as delegated, St as each, Tt as if_block, Ut as first_child, Wt as only_child, X as setParams, Xt as pop, Yt as user_derived, Zt as push, dt as set_attribute, gt as select_option, h as saveFile, ht as init_select, lt as bind_value, mt as bind_select_value, qt as set, tn as to_array, ut as remove_input_defaults, z as run, zt as template_effect } from "./page.js";
import { a as turning, c as listOf, d as readPlace, i as masks, l as npyOf, n as detectorOfOutput, o as countOf, r as handlersOf, t as SHAPES } from "./masks.svelte.js";
// src/picture/MaskTools.svelte
var root = from_html(`<p class="why svelte-1rnngh9" role="status"> </p>`);
var root_1 = from_html(`<button type="button" class="svelte-1rnngh9"> </button>`);
var root_2 = from_html(`<label><span class="quiet">Width of the brush in pixels</span> <input type="number" min="1" max="99" class="svelte-1rnngh9"/></label>`);
var root_3 = from_html(`<option> </option>`);
var root_4 = from_html(`<select aria-label="Node that handles bad pixels" class="svelte-1rnngh9"></select>`);
var root_5 = from_html(`<span class="alarm" role="alert"> </span>`);
var root_6 = from_html(`<div class="seg svelte-1rnngh9" role="group" aria-label="Shape"></div> <!> <div class="seg svelte-1rnngh9" role="group" aria-label="What drawing does"><button type="button" class="svelte-1rnngh9">Add</button> <button type="button" class="svelte-1rnngh9">Remove</button></div> <div class="seg svelte-1rnngh9" role="group" aria-label="Steps"><button type="button" title="Ctrl+Z" class="svelte-1rnngh9">Undo</button> <button type="button" title="Ctrl+Y" class="svelte-1rnngh9">Redo</button> <button type="button" class="svelte-1rnngh9">Clear</button></div> <span class="dim" data-testid="mask-count"> </span> <span class="space svelte-1rnngh9"></span> <label>New value <select class="svelte-1rnngh9"></select></label> <button type="button" class="btn svelte-1rnngh9" title="For the node bad_pixels, in areaDetector's form, in pixels of the detector">List .json</button> <button type="button" class="btn svelte-1rnngh9">Mask .npy</button> <!> <button type="button" class="btn primary svelte-1rnngh9"> </button> <!> <span class="dim" role="status"> </span>`, 1);
var root_7 = from_html(`<div class="tools svelte-1rnngh9" role="group" aria-label="Mask of bad pixels"><!></div>`);
function MaskTools($$anchor, $$props) {
	push($$props, true);
	const FIXES = [
		["0", { Set: 0 }],
		["median of 3 × 3", { Median: [1, 1] }],
		["median of 5 × 5", { Median: [2, 2] }],
		["median of 9 × 9", { Median: [4, 4] }]
	];
	const MOST_BYTES = 64512;
	let fix = state(0);
	let chosen = state("");
	let said = state("");
	let problem = state("");
	let applying = state(false);
	const behind = user_derived(() => detectorOfOutput($$props.source));
	const where = user_derived(() => $$props.place);
	const width = user_derived(() => $$props.full.width);
	const height = user_derived(() => $$props.full.height);
	const sensor = user_derived(() => readPlace(get(where), {
		width: get(width),
		height: get(height)
	}));
	const detector = user_derived(() => "source" in get(behind) ? get(behind).source : "");
	const why = user_derived(() => "why" in get(behind) ? get(behind).why : get(sensor) ? "" : "the server does not say where on the detector it was read");
	const bad = user_derived(() => countOf(masks.pieces));
	const nodes = user_derived(() => get(detector) ? handlersOf(get(detector)) : []);
	const node = user_derived(() => get(nodes).includes(get(chosen)) ? get(chosen) : get(nodes)[0] ?? "");
	const listed = user_derived(() => Number(run.value(get(node), "listed") ?? 0));
	const list = user_derived(() => get(node) ? listOf(masks.pieces, FIXES[get(fix)][1], true) : "");
	const tooLong = user_derived(() => JSON.stringify(get(list)).length > MOST_BYTES);
	const whyNot = user_derived(() => !get(node) ? `No node \`bad_pixels\` handles pictures of ${get(detector)}: add one to the pipeline file, or take the list as a file` : !run.mayWrite ? "Who applies a mask changes the run: open the link with the token" : get(tooLong) ? `${count(masks.pieces.length)} rectangles are too many for one request: take the list as a file` : "");
	const watched = user_derived(() => [...turning(), ...get(nodes)]);
	user_effect(() => run.watch(get(watched)));
	user_effect(() => {
		masks.pieces;
		(($$value) => {
			var $$array = to_array($$value, 2);
			set(said, $$array[0], true);
			set(problem, $$array[1], true);
		})(["", ""]);
	});
	const save = (name, what, type) => saveFile(new Blob([what], { type }), name);
	const saveList = () => save(`${get(detector)}-bad-pixels.json`, listOf(masks.pieces, FIXES[get(fix)][1], false), "application/json");
	const saveArray = () => masks.mask && save(`${get(detector)}-mask.npy`, npyOf(masks.mask), "application/octet-stream");
	async function apply() {
		set(applying, true);
		try {
			run.learn(await setParams(get(node), { file_name: get(list) }));
			(($$value) => {
				var $$array_1 = to_array($$value, 2);
				set(said, $$array_1[0], true);
				set(problem, $$array_1[1], true);
			})([`${get(node)} handles ${count(get(bad))} pixels from the next frame on.`, ""]);
		} catch (refused) {
			(($$value) => {
				var $$array_2 = to_array($$value, 2);
				set(said, $$array_2[0], true);
				set(problem, $$array_2[1], true);
			})(["", refused instanceof ApiError ? refused.message : String(refused)]);
		}
		set(applying, false);
	}
	var div = root_7();
	var node_1 = child(div);
	var consequent = ($$anchor) => {
		var p = root();
		var text = only_child(p);
		template_effect(() => set_text(text, `No mask can be drawn here: ${get(why) ?? ""}.`));
		append($$anchor, p);
	};
	var alternate = ($$anchor) => {
		var fragment = root_6();
		var div_1 = first_child(fragment);
		each(div_1, 21, () => SHAPES, ([shape, title]) => shape, ($$anchor, $$item) => {
			var $$array_3 = user_derived(() => to_array(get($$item), 2));
			let shape = () => get($$array_3)[0];
			let title = () => get($$array_3)[1];
			var button = root_1();
			var text_1 = only_child(button, true);
			template_effect(() => {
				set_attribute(button, "aria-pressed", masks.shape === shape());
				set_text(text_1, title());
			});
			delegated("click", button, () => masks.shape = shape());
			append($$anchor, button);
		});
		reset(div_1);
		var node_2 = sibling(div_1, 2);
		var consequent_1 = ($$anchor) => {
			var label = root_2();
			var input = sibling(child(label), 2);
			remove_input_defaults(input);
			reset(label);
			bind_value(input, () => masks.width, ($$value) => masks.width = $$value);
			append($$anchor, label);
		};
		if_block(node_2, ($$render) => {
			if (masks.shape === "brush") $$render(consequent_1);
		});
		var div_2 = sibling(node_2, 2);
		var button_1 = child(div_2);
		var button_2 = sibling(button_1, 2);
		reset(div_2);
		var div_3 = sibling(div_2, 2);
		var button_3 = child(div_3);
		var button_4 = sibling(button_3, 2);
		var button_5 = sibling(button_4, 2);
		reset(div_3);
		var span = sibling(div_3, 2);
		var text_2 = only_child(span);
		var label_1 = sibling(span, 4);
		var select = sibling(child(label_1));
		each(select, 23, () => FIXES, ([title]) => title, ($$anchor, $$item, i) => {
			var $$array_4 = user_derived(() => to_array(get($$item), 1));
			let title = () => get($$array_4)[0];
			var option = root_3();
			var text_3 = only_child(option, true);
			var option_value = {};
			template_effect(() => {
				set_text(text_3, title());
				if (option_value !== (option_value = get(i))) option.value = (option.__value = option_value) ?? "";
			});
			append($$anchor, option);
		});
		reset(select);
		init_select(select);
		reset(label_1);
		var button_6 = sibling(label_1, 2);
		var button_7 = sibling(button_6, 2);
		var node_3 = sibling(button_7, 2);
		var consequent_2 = ($$anchor) => {
			var select_1 = root_4();
			each(select_1, 20, () => get(nodes), (name) => name, ($$anchor, name) => {
				var option_1 = root_3();
				var text_4 = only_child(option_1, true);
				var option_1_value = {};
				template_effect(() => {
					set_text(text_4, name);
					if (option_1_value !== (option_1_value = name)) option_1.__value = option_1_value;
				});
				append($$anchor, option_1);
			});
			reset(select_1);
			var select_1_value;
			init_select(select_1);
			template_effect(() => {
				if (select_1_value !== (select_1_value = get(node))) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
			});
			delegated("change", select_1, (e) => set(chosen, e.currentTarget.value, true));
			append($$anchor, select_1);
		};
		if_block(node_3, ($$render) => {
			if (get(nodes).length > 1) $$render(consequent_2);
		});
		var button_8 = sibling(node_3, 2);
		var text_5 = only_child(button_8, true);
		var node_4 = sibling(button_8, 2);
		var consequent_3 = ($$anchor) => {
			var span_1 = root_5();
			var text_6 = only_child(span_1, true);
			template_effect(() => set_text(text_6, get(problem)));
			append($$anchor, span_1);
		};
		if_block(node_4, ($$render) => {
			if (get(problem)) $$render(consequent_3);
		});
		var span_2 = sibling(node_4, 2);
		var text_7 = only_child(span_2, true);
		template_effect(($0, $1) => {
			set_attribute(button_1, "aria-pressed", masks.adds);
			set_attribute(button_2, "aria-pressed", !masks.adds);
			button_3.disabled = !masks.mayUndo;
			button_4.disabled = !masks.mayRedo;
			button_5.disabled = get(bad) === 0;
			set_text(text_2, `${$0 ?? ""} bad of ${masks.size.width ?? ""} × ${masks.size.height ?? ""}, ${get(detector) ?? ""}`);
			button_7.disabled = !masks.mask;
			set_attribute(button_7, "title", `For the node corrections and for --mask: ${masks.size.height ?? ""} rows of ${masks.size.width ?? ""}, 0 where a pixel is bad`);
			button_8.disabled = get(whyNot) !== "" || get(applying);
			set_attribute(button_8, "title", get(whyNot));
			set_text(text_5, $1);
			set_text(text_7, get(said) || (get(node) ? "" : get(whyNot)));
		}, [() => count(get(bad)), () => get(node) && get(listed) > 0 ? `Replace the ${count(get(listed))} of ${get(node)}` : `Apply${get(node) ? ` to ${get(node)}` : ""}`]);
		delegated("click", button_1, () => masks.adds = true);
		delegated("click", button_2, () => masks.adds = false);
		delegated("click", button_3, () => masks.undo());
		delegated("click", button_4, () => masks.redo());
		delegated("click", button_5, () => masks.clear());
		bind_select_value(select, () => get(fix), ($$value) => set(fix, $$value));
		delegated("click", button_6, saveList);
		delegated("click", button_7, saveArray);
		delegated("click", button_8, apply);
		append($$anchor, fragment);
	};
	if_block(node_1, ($$render) => {
		if (get(why)) $$render(consequent);
		else $$render(alternate, -1);
	});
	reset(div);
	append($$anchor, div);
	pop();
}
delegate(["click", "change"]);
export { MaskTools as default };
