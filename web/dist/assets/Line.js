import { $t as reset, At as from_html, Gt as sibling, Ht as child, It as get, Nt as delegate, Ot as append, Pt as delegated, St as each, Tt as if_block, Ut as first_child, Xt as pop, Yt as user_derived, Zt as push, _t as set_style, b as clamp, dt as set_attribute, kt as comment, o as shownHere, p as toCanvas, zt as template_effect } from "./page.js";
// src/picture/Line.svelte
var root = from_html(`<button type="button" class="svelte-1fd7x5y"></button>`);
var root_1 = from_html(`<div class="line svelte-1fd7x5y"><svg aria-hidden="true"><path class="under svelte-1fd7x5y"></path><path class="svelte-1fd7x5y"></path></svg> <!></div>`);
function Line($$anchor, $$props) {
	push($$props, true);
	const shown = shownHere();
	const line = user_derived(() => shown.line);
	const ends = user_derived(() => get(line) && [[
		"0",
		get(line).x0,
		get(line).y0
	], [
		"1",
		get(line).x1,
		get(line).y1
	]].map(([end, x, y]) => ({
		end,
		x,
		y,
		...prefixed(toCanvas($$props.view, $$props.box, x + .5, y + .5))
	})));
	const prefixed = ({ x, y }) => ({
		left: x,
		top: y
	});
	let drag = null;
	function moved(from, end, dx, dy) {
		const at = (n, by, whole) => clamp(Math.round(n + by), 0, whole - 1);
		const next = end === "0" ? {
			...from,
			x0: at(from.x0, dx, $$props.full.width),
			y0: at(from.y0, dy, $$props.full.height)
		} : {
			...from,
			x1: at(from.x1, dx, $$props.full.width),
			y1: at(from.y1, dy, $$props.full.height)
		};
		shown.line = next;
	}
	function press(event, end) {
		if (event.button !== 0 || !get(line)) return;
		event.stopPropagation();
		event.currentTarget.setPointerCapture(event.pointerId);
		drag = {
			end,
			line: get(line),
			x: event.clientX,
			y: event.clientY
		};
	}
	function move(event) {
		if (drag) moved(drag.line, drag.end, (event.clientX - drag.x) / $$props.view.zoomX, (event.clientY - drag.y) / $$props.view.zoomY);
	}
	function key(event, end) {
		const step = event.shiftKey ? 10 : 1;
		const by = {
			ArrowLeft: [-step, 0],
			ArrowRight: [step, 0],
			ArrowUp: [0, -step],
			ArrowDown: [0, step]
		}[event.key];
		if (by && get(line)) moved(get(line), end, by[0], by[1]);
		else if (event.key === "Escape" || event.key === "Delete") shown.line = null;
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
	var fragment = comment();
	var node = first_child(fragment);
	var consequent = ($$anchor) => {
		var div = root_1();
		var svg = child(div);
		var path = child(svg);
		var path_1 = sibling(path);
		reset(svg);
		var node_1 = sibling(svg, 2);
		each(node_1, 17, () => get(ends), ({ end, x, y, left, top }) => end, ($$anchor, $$item) => {
			let end = () => get($$item).end;
			let x = () => get($$item).x;
			let y = () => get($$item).y;
			let left = () => get($$item).left;
			let top = () => get($$item).top;
			var button = root();
			let styles;
			template_effect(() => {
				set_attribute(button, "data-line-end", end());
				set_attribute(button, "aria-label", `${end() === "0" ? "Begin" : "End"} of the line at ${x() ?? ""}, ${y() ?? ""}. Arrow keys move it, Escape removes the line.`);
				styles = set_style(button, "", styles, {
					left: `${left() ?? ""}px`,
					top: `${top() ?? ""}px`
				});
			});
			delegated("keydown", button, (e) => key(e, end()));
			delegated("pointerdown", button, (e) => press(e, end()));
			delegated("pointermove", button, move);
			delegated("pointerup", button, () => drag = null);
			append($$anchor, button);
		});
		reset(div);
		template_effect(() => {
			set_attribute(svg, "width", $$props.box.width);
			set_attribute(svg, "height", $$props.box.height);
			set_attribute(path, "d", `M${get(ends)[0].left ?? ""} ${get(ends)[0].top ?? ""}L${get(ends)[1].left ?? ""} ${get(ends)[1].top ?? ""}`);
			set_attribute(path_1, "d", `M${get(ends)[0].left ?? ""} ${get(ends)[0].top ?? ""}L${get(ends)[1].left ?? ""} ${get(ends)[1].top ?? ""}`);
		});
		append($$anchor, div);
	};
	if_block(node, ($$render) => {
		if (get(ends)) $$render(consequent);
	});
	append($$anchor, fragment);
	pop();
}
delegate([
	"keydown",
	"pointerdown",
	"pointermove",
	"pointerup"
]);
export { Line as default };
