import { $t as reset, At as from_html, Dt as set_text, Ft as event, Gt as sibling, Ht as child, It as get, Kt as proxy, Lt as tick, M as count, Nt as delegate, Ot as append, P as rate, Pt as delegated, St as each, T as Name, Tt as if_block, Vt as $window, Wt as only_child, Xt as pop, Yt as user_derived, Zt as push, _t as set_style, b as clamp, dt as set_attribute, jt as from_svg, k as place, ot as bind_this, st as bind_element_size, vt as set_class, w as layers, z as run, zt as template_effect } from "./page.js";
import { t as NodePanel } from "./NodePanel.js";
// src/screens/graph/Graph.svelte
var root = from_svg(`<path></path>`);
var root_1 = from_html(`<i class="svelte-sxd490"></i>`);
var root_2 = from_html(`<button type="button"><span class="first svelte-sxd490"><b class="svelte-sxd490"><!></b><span> </span></span> <span class="second svelte-sxd490"><span> </span> <span> </span></span> <!></button>`);
var root_3 = from_html(`<div class="graph svelte-sxd490"><div class="place svelte-sxd490"><section class="panel canvas scroll svelte-sxd490" aria-label="Graph"><h1 class="quiet">Graph</h1> <div class="paper svelte-sxd490"><div class="sheet svelte-sxd490"><svg aria-hidden="true" class="svelte-sxd490"></svg> <!></div></div></section> <div class="zoom svelte-sxd490" role="group" aria-label="Zoom"><button type="button" title="The whole graph (0)" class="svelte-sxd490">Fit</button> <button type="button" class="svelte-sxd490">1:1</button> <button type="button" aria-label="Smaller" title="Smaller (−)" class="svelte-sxd490">−</button> <button type="button" aria-label="Larger" title="Larger (+)" class="svelte-sxd490">+</button> <span class="dim svelte-sxd490" data-testid="zoom"> </span></div></div> <aside class="panel side svelte-sxd490"><!></aside></div>`);
function Graph($$anchor, $$props) {
	push($$props, true);
	const [WIDTH, HEIGHT, GAP_X, GAP_Y, EDGE] = [
		172,
		52,
		84,
		16,
		24
	];
	const chosen = user_derived(() => place.get("node") || run.nodes[0]?.name || "");
	const wires = user_derived(() => run.graph.edges.flatMap(({ nodes: [from, to], open }, edge) => to === null || !open ? [] : [{
		from,
		to,
		edge
	}]));
	const places = user_derived(() => layers(run.nodes.length, get(wires)));
	const now = user_derived(() => run.moment);
	const size = user_derived(() => ({
		width: EDGE * 2 + Math.max(1, ...get(places).map((p) => p.column + 1)) * (WIDTH + GAP_X) - GAP_X,
		height: EDGE * 2 + Math.max(1, ...get(places).map((p) => p.row + 1)) * (HEIGHT + GAP_Y) - GAP_Y
	}));
	const corner = (i) => ({
		x: EDGE + (get(places)[i]?.column ?? 0) * (WIDTH + GAP_X),
		y: EDGE + (get(places)[i]?.row ?? 0) * (HEIGHT + GAP_Y)
	});
	const fastest = user_derived(() => Math.max(1e-9, ...(get(now)?.nodes.hz ?? []).map((hz) => hz ?? 0)));
	const lines = user_derived(() => get(wires).map(({ from, to, edge }) => {
		const [a, b] = [corner(from), corner(to)];
		const [x0, y0, x1, y1] = [
			a.x + WIDTH,
			a.y + HEIGHT / 2,
			b.x,
			b.y + HEIGHT / 2
		];
		const middle = x1 - GAP_X / 2;
		const path = y0 === y1 ? `M${x0} ${y0}H${x1}` : `M${x0} ${y0}H${middle - 8}Q${middle} ${y0} ${middle} ${y0 + Math.sign(y1 - y0) * 8}V${y1 - Math.sign(y1 - y0) * 8}Q${middle} ${y1} ${middle + 8} ${y1}H${x1}`;
		const hz = get(now)?.nodes.in_hz[to] ?? get(now)?.nodes.hz[to] ?? 0;
		return {
			edge,
			path,
			width: 1 + 3 * Math.sqrt((hz ?? 0) / get(fastest)),
			lost: (get(now)?.edges.losing[edge] ?? 0) > 0,
			asked: (get(now)?.edges.left_out[edge] ?? 0) > 0,
			current: run.nodes[to]?.name === get(chosen)
		};
	}));
	const [LEAST, MOST] = [.1, 3];
	let canvas;
	let sheet;
	let room = proxy({
		width: 0,
		height: 0
	});
	const fit = user_derived(() => Math.max(LEAST, Math.min(1, room.width / get(size).width, room.height / get(size).height) || 1));
	const wished = user_derived(() => Number(place.get("graph")));
	const zoom = user_derived(() => get(wished) > 0 ? clamp(get(wished), LEAST, MOST) : get(fit));
	async function zoomBy(factor, x, y) {
		const before = sheet.getBoundingClientRect();
		const [across, down] = [(x - before.left) / get(zoom), (y - before.top) / get(zoom)];
		const next = clamp(get(zoom) * factor, Math.min(LEAST, get(fit)), MOST);
		place.set({ graph: next <= get(fit) && factor < 1 ? "" : next.toPrecision(4) });
		await tick();
		const { left, top } = sheet.getBoundingClientRect();
		canvas.scrollBy(left + across * get(zoom) - x, top + down * get(zoom) - y);
	}
	function zoomMiddle(factor) {
		const { left, top, width, height } = canvas.getBoundingClientRect();
		zoomBy(factor, left + width / 2, top + height / 2);
	}
	function wheel(event) {
		event.preventDefault();
		zoomBy(2 ** (-event.deltaY / 400), event.clientX, event.clientY);
	}
	let held = null;
	function press(event) {
		if (event.button !== 0 || event.target.closest("button")) return;
		canvas.setPointerCapture(event.pointerId);
		held = {
			x: event.clientX,
			y: event.clientY
		};
	}
	function pull(event) {
		if (!held) return;
		canvas.scrollBy(held.x - event.clientX, held.y - event.clientY);
		held = {
			x: event.clientX,
			y: event.clientY
		};
	}
	function key(event) {
		const on = event.target;
		if (event.ctrlKey || event.metaKey || event.altKey || on.closest("input:not([type=checkbox]), select, textarea, dialog")) return;
		if (event.key === "+" || event.key === "=") zoomMiddle(1.5);
		else if (event.key === "-") zoomMiddle(1 / 1.5);
		else if (event.key === "0") place.set({ graph: "" });
	}
	const inOrder = user_derived(() => [...get(lines)].sort((a, b) => Number(a.lost) - Number(b.lost) || Number(a.current) - Number(b.current)));
	var div = root_3();
	event("keydown", $window, key);
	var div_1 = child(div);
	var section = child(div_1);
	var div_2 = sibling(child(section), 2);
	let styles;
	var div_3 = child(div_2);
	let styles_1;
	var svg = child(div_3);
	each(svg, 21, () => get(inOrder), ({ edge, path, width, lost, asked, current }) => edge, ($$anchor, $$item) => {
		let path = () => get($$item).path;
		let width = () => get($$item).width;
		let lost = () => get($$item).lost;
		let asked = () => get($$item).asked;
		let current = () => get($$item).current;
		var path_1 = root();
		let classes;
		template_effect(() => {
			set_attribute(path_1, "d", path());
			set_attribute(path_1, "stroke-width", width());
			classes = set_class(path_1, 0, "svelte-sxd490", null, classes, {
				lost: lost(),
				asked: asked() && !lost(),
				current: current()
			});
		});
		append($$anchor, path_1);
	});
	reset(svg);
	var node_1 = sibling(svg, 2);
	each(node_1, 19, () => run.nodes, (node) => node.name, ($$anchor, node, i, $$array) => {
		const computed_const = user_derived(() => {
			return corner(get(i));
		});
		const bits = user_derived(() => get(now)?.nodes.state[get(i)] ?? 1);
		const lost = user_derived(() => get(now)?.nodes.lost[get(i)] ?? 0);
		const losing = user_derived(() => (get(now)?.nodes.losing[get(i)] ?? 0) > 0);
		const room = user_derived(() => get(now)?.nodes.capacity[get(i)] ?? 0);
		var button = root_2();
		let classes_1;
		let styles_2;
		var span = child(button);
		var b_1 = child(span);
		var node_2 = child(b_1);
		Name(node_2, { get name() {
			return get(node).name;
		} });
		reset(b_1);
		var span_1 = sibling(b_1);
		var text = only_child(span_1, true);
		reset(span);
		var span_2 = sibling(span, 2);
		var span_3 = child(span_2);
		var text_1 = only_child(span_3, true);
		var span_4 = sibling(span_3, 2);
		let classes_2;
		var text_2 = only_child(span_4, true);
		reset(span_2);
		var node_3 = sibling(span_2, 2);
		var consequent = ($$anchor) => {
			var i_1 = root_1();
			let styles_3;
			template_effect(() => styles_3 = set_style(i_1, "", styles_3, { width: `${100 * (get(now)?.nodes.queued[get(i)] ?? 0) / get(room)}%` }));
			append($$anchor, i_1);
		};
		if_block(node_3, ($$render) => {
			if (get(room) > 0) $$render(consequent);
		});
		reset(button);
		template_effect(($0, $1) => {
			set_attribute(button, "aria-pressed", get(node).name === get(chosen));
			set_attribute(button, "title", `${get(node).name ?? ""}, ${get(node).type ?? ""}, ${get(node).placement ?? ""}`);
			classes_1 = set_class(button, 1, "svelte-sxd490", null, classes_1, {
				lost: get(losing),
				off: !(get(bits) & 1)
			});
			styles_2 = set_style(button, "", styles_2, {
				left: `${get(computed_const).x ?? ""}px`,
				top: `${get(computed_const).y ?? ""}px`,
				width: `${WIDTH ?? ""}px`,
				height: `${HEIGHT ?? ""}px`
			});
			set_text(text, $0);
			set_text(text_1, get(bits) & 1 ? get(node).type : "off");
			classes_2 = set_class(span_4, 1, "", null, classes_2, { warn: get(losing) });
			set_text(text_2, $1);
		}, [() => rate(get(now)?.nodes.hz[get(i)]), () => get(lost) > 0 ? `${count(get(lost))} lost` : get(bits) & 16 ? "source" : get(room) ? `${get(now)?.nodes.queued[get(i)]}/${get(room)}` : "inline"]);
		delegated("click", button, () => place.set({ node: get(node).name }));
		append($$anchor, button);
	});
	reset(div_3);
	bind_this(div_3, ($$value) => sheet = $$value, () => sheet);
	reset(div_2);
	reset(section);
	bind_this(section, ($$value) => canvas = $$value, () => canvas);
	var div_4 = sibling(section, 2);
	var button_1 = child(div_4);
	var button_2 = sibling(button_1, 2);
	var button_3 = sibling(button_2, 2);
	var button_4 = sibling(button_3, 2);
	var span_5 = sibling(button_4, 2);
	var text_3 = only_child(span_5);
	reset(div_4);
	reset(div_1);
	var aside = sibling(div_1, 2);
	var node_4 = child(aside);
	NodePanel(node_4, { get node() {
		return get(chosen);
	} });
	reset(aside);
	reset(div);
	template_effect(($0) => {
		styles = set_style(div_2, "", styles, {
			width: `${get(size).width * get(zoom)}px`,
			height: `${get(size).height * get(zoom)}px`
		});
		styles_1 = set_style(div_3, "", styles_1, {
			width: `${get(size).width ?? ""}px`,
			height: `${get(size).height ?? ""}px`,
			transform: `scale(${get(zoom) ?? ""})`
		});
		set_attribute(svg, "width", get(size).width);
		set_attribute(svg, "height", get(size).height);
		set_attribute(button_1, "aria-pressed", !(get(wished) > 0));
		set_attribute(button_2, "aria-pressed", get(wished) === 1);
		set_text(text_3, `${$0 ?? ""} %`);
		set_attribute(aside, "aria-label", `Node ${get(chosen) ?? ""}`);
	}, [() => Math.round(get(zoom) * 100)]);
	event("wheel", section, wheel);
	delegated("pointerdown", section, press);
	delegated("pointermove", section, pull);
	delegated("pointerup", section, () => held = null);
	bind_element_size(section, "clientWidth", ($$value) => room.width = $$value);
	bind_element_size(section, "clientHeight", ($$value) => room.height = $$value);
	delegated("click", button_1, () => place.set({ graph: "" }));
	delegated("click", button_2, () => place.set({ graph: "1" }));
	delegated("click", button_3, () => zoomMiddle(1 / 1.5));
	delegated("click", button_4, () => zoomMiddle(1.5));
	append($$anchor, div);
	pop();
}
delegate([
	"pointerdown",
	"pointermove",
	"pointerup",
	"click"
]);
export { Graph as default };
