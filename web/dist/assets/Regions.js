import { $t as reset, At as from_html, Bt as user_effect, Dt as set_text, Ft as event, Gt as sibling, Ht as child, It as get, Nt as delegate, Ot as append, Pt as delegated, S as drafts, St as each, T as Name, Tt as if_block, Ut as first_child, Wt as only_child, Xt as pop, Yt as user_derived, Zt as push, _ as regionsOf, _t as set_style, dt as set_attribute, g as regionNodes, kt as comment, p as toCanvas, v as wishRegion, vt as set_class, x as dragged, y as HANDLES, z as run, zt as template_effect } from "./page.js";
// src/picture/Regions.svelte
var root = from_html(` <small class="svelte-fxa8h7"> </small>`, 1);
var root_1 = from_html(`<span aria-hidden="true"></span>`);
var root_2 = from_html(`<span class="ask svelte-fxa8h7"><button class="btn primary" type="button">Apply ⏎</button> <button class="btn" type="button">Revert</button></span>`);
var root_3 = from_html(`<div role="button" tabindex="0"><span class="edge top svelte-fxa8h7" aria-hidden="true"></span> <span class="edge left svelte-fxa8h7" aria-hidden="true"></span> <span class="edge right svelte-fxa8h7" aria-hidden="true"></span> <span class="edge bottom svelte-fxa8h7" aria-hidden="true"></span> <span class="title svelte-fxa8h7" aria-hidden="true"><!><!></span> <!></div> <!>`, 1);
var root_4 = from_html(`<div class="regions svelte-fxa8h7"></div>`);
function Regions($$anchor, $$props) {
	push($$props, true);
	const nodes = user_derived(() => regionNodes($$props.source));
	user_effect(() => run.watch(get(nodes)));
	const shapes = user_derived(() => regionsOf($$props.source, $$props.full).map(({ name, region: wished, pending }) => {
		return {
			name,
			wished,
			pending,
			...toCanvas($$props.view, $$props.box, wished.x, wished.y),
			width: wished.width * $$props.view.zoomX,
			height: wished.height * $$props.view.zoomY
		};
	}));
	const inOrder = user_derived(() => [...get(shapes)].sort((a, b) => Number(a.name === $$props.chosen) - Number(b.name === $$props.chosen)));
	const PLACES = {
		nw: [0, 0],
		n: [.5, 0],
		ne: [1, 0],
		e: [1, .5],
		se: [1, 1],
		s: [.5, 1],
		sw: [0, 1],
		w: [0, .5]
	};
	let drag = null;
	function press(event, name, handle, from) {
		if (event.button !== 0) return;
		event.stopPropagation();
		$$props.choose(name);
		if (!run.mayWrite) return;
		event.currentTarget.setPointerCapture(event.pointerId);
		drag = {
			name,
			handle,
			from,
			x: event.clientX,
			y: event.clientY
		};
	}
	function move(event) {
		if (!drag) return;
		const by = {
			x: (event.clientX - drag.x) / $$props.view.zoomX,
			y: (event.clientY - drag.y) / $$props.view.zoomY
		};
		wishRegion(drag.name, dragged(drag.from, drag.handle, by.x, by.y, $$props.full));
	}
	function key(event, name, from) {
		const step = event.ctrlKey ? 10 : 1;
		const by = {
			ArrowLeft: [-step, 0],
			ArrowRight: [step, 0],
			ArrowUp: [0, -step],
			ArrowDown: [0, step]
		}[event.key];
		if (by && run.mayWrite) wishRegion(name, dragged(from, event.shiftKey ? "se" : "move", by[0], by[1], $$props.full));
		else if (event.key === "Enter") drafts.apply(name);
		else if (event.key === "Escape") drafts.revert(name);
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
	var div = root_4();
	each(div, 21, () => get(inOrder), ({ name, wished, pending, x, y, width, height }) => name, ($$anchor, $$item) => {
		let name = () => get($$item).name;
		let wished = () => get($$item).wished;
		let pending = () => get($$item).pending;
		let x = () => get($$item).x;
		let y = () => get($$item).y;
		let width = () => get($$item).width;
		let height = () => get($$item).height;
		const current = user_derived(() => name() === $$props.chosen);
		var fragment = root_3();
		var div_1 = first_child(fragment);
		let classes;
		let styles;
		var span = child(div_1);
		var span_1 = sibling(span, 2);
		var span_2 = sibling(span_1, 2);
		var span_3 = sibling(span_2, 2);
		var span_4 = sibling(span_3, 2);
		var node = child(span_4);
		Name(node, { get name() {
			return name();
		} });
		var node_1 = sibling(node);
		var consequent = ($$anchor) => {
			var fragment_1 = root();
			var text = first_child(fragment_1, true);
			text.nodeValue = " ";
			var small = sibling(text);
			var text_1 = only_child(small);
			template_effect(() => set_text(text_1, `${wished().x ?? ""}, ${wished().y ?? ""} ${wished().width ?? ""} × ${wished().height ?? ""}`));
			append($$anchor, fragment_1);
		};
		if_block(node_1, ($$render) => {
			if (get(current)) $$render(consequent);
		});
		reset(span_4);
		var node_2 = sibling(span_4, 2);
		var consequent_1 = ($$anchor) => {
			var fragment_2 = comment();
			var node_3 = first_child(fragment_2);
			each(node_3, 16, () => HANDLES, (handle) => handle, ($$anchor, handle) => {
				const computed_const = user_derived(() => {
					const [px, py] = PLACES[handle];
					return {
						px,
						py
					};
				});
				var span_5 = root_1();
				let styles_1;
				template_effect(() => {
					set_class(span_5, 1, `handle ${handle ?? ""}`, "svelte-fxa8h7");
					set_attribute(span_5, "data-handle", handle);
					styles_1 = set_style(span_5, "", styles_1, {
						left: `${get(computed_const).px * 100}%`,
						top: `${get(computed_const).py * 100}%`
					});
				});
				delegated("pointerdown", span_5, (e) => press(e, name(), handle, wished()));
				delegated("pointermove", span_5, move);
				delegated("pointerup", span_5, () => drag = null);
				append($$anchor, span_5);
			});
			append($$anchor, fragment_2);
		};
		if_block(node_2, ($$render) => {
			if (get(current) && run.mayWrite) $$render(consequent_1);
		});
		reset(div_1);
		var node_4 = sibling(div_1, 2);
		var consequent_2 = ($$anchor) => {
			var span_6 = root_2();
			let styles_2;
			var button = child(span_6);
			var button_1 = sibling(button, 2);
			reset(span_6);
			template_effect(($0, $1) => styles_2 = set_style(span_6, "", styles_2, {
				right: $0,
				bottom: $1
			}), [() => `${Math.max(6, $$props.box.width - x() - width() + 6)}px`, () => `${Math.max(6, $$props.box.height - y() - height() + 6)}px`]);
			delegated("click", button, () => drafts.apply(name()));
			delegated("click", button_1, () => drafts.revert(name()));
			append($$anchor, span_6);
		};
		if_block(node_4, ($$render) => {
			if (pending()) $$render(consequent_2);
		});
		template_effect(() => {
			classes = set_class(div_1, 1, "region svelte-fxa8h7", null, classes, {
				current: get(current),
				pending: pending()
			});
			set_attribute(div_1, "data-region", name());
			set_attribute(div_1, "aria-label", `${name() ?? ""} ${wished().x ?? ""}, ${wished().y ?? ""} ${wished().width ?? ""} × ${wished().height ?? ""}: region${pending() ? ", not applied" : ""}. Arrow keys move it, with Shift they size it, Enter applies, Escape reverts.`);
			styles = set_style(div_1, "", styles, {
				left: `${x() ?? ""}px`,
				top: `${y() ?? ""}px`,
				width: `${width() ?? ""}px`,
				height: `${height() ?? ""}px`
			});
		});
		delegated("keydown", div_1, (event) => key(event, name(), wished()));
		event("focus", div_1, () => $$props.choose(name()));
		delegated("pointerdown", span, (e) => press(e, name(), "move", wished()));
		delegated("pointermove", span, move);
		delegated("pointerup", span, () => drag = null);
		delegated("pointerdown", span_1, (e) => press(e, name(), "move", wished()));
		delegated("pointermove", span_1, move);
		delegated("pointerup", span_1, () => drag = null);
		delegated("pointerdown", span_2, (e) => press(e, name(), "move", wished()));
		delegated("pointermove", span_2, move);
		delegated("pointerup", span_2, () => drag = null);
		delegated("pointerdown", span_3, (e) => press(e, name(), "move", wished()));
		delegated("pointermove", span_3, move);
		delegated("pointerup", span_3, () => drag = null);
		delegated("pointerdown", span_4, (e) => press(e, name(), "move", wished()));
		delegated("pointermove", span_4, move);
		delegated("pointerup", span_4, () => drag = null);
		append($$anchor, fragment);
	});
	reset(div);
	append($$anchor, div);
	pop();
}
delegate([
	"keydown",
	"pointerdown",
	"pointermove",
	"pointerup",
	"click"
]);
export { Regions as default };
