import { Bt as reset, E as place, Et as template_effect, I as run, It as user_derived, Lt as pop, Mt as sibling, Rt as push, St as delegated, _ as NodePanel, ct as set_class, dt as each, g as layers, gt as append, ht as set_text, j as rate, jt as only_child, k as count, kt as child, mt as if_block, st as set_style, tt as set_attribute, vt as from_html, wt as get, xt as delegate, yt as from_svg } from "./page.js";
// src/screens/graph/Graph.svelte
var root = from_svg(`<path></path>`);
var root_1 = from_html(`<i class="svelte-sxd490"></i>`);
var root_2 = from_html(`<button type="button"><span class="first svelte-sxd490"><b class="svelte-sxd490"> </b><span class="svelte-sxd490"> </span></span> <span class="second svelte-sxd490"><span class="svelte-sxd490"> </span> <span> </span></span> <!></button>`);
var root_3 = from_html(`<div class="graph svelte-sxd490"><section class="panel canvas scroll svelte-sxd490" aria-label="Graph"><h1 class="quiet">Graph</h1> <div class="sheet svelte-sxd490"><svg aria-hidden="true" class="svelte-sxd490"></svg> <!></div></section> <aside class="panel side svelte-sxd490"><!></aside></div>`);
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
	const inOrder = user_derived(() => [...get(lines)].sort((a, b) => Number(a.lost) - Number(b.lost) || Number(a.current) - Number(b.current)));
	var div = root_3();
	var section = child(div);
	var div_1 = sibling(child(section), 2);
	let styles;
	var svg = child(div_1);
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
	each(node_1, 19, () => run.nodes, (node) => node.name, ($$anchor, node, i) => {
		const computed_const = user_derived(() => {
			return corner(get(i));
		});
		const bits = user_derived(() => get(now)?.nodes.state[get(i)] ?? 1);
		const lost = user_derived(() => get(now)?.nodes.lost[get(i)] ?? 0);
		const losing = user_derived(() => (get(now)?.nodes.losing[get(i)] ?? 0) > 0);
		const room = user_derived(() => get(now)?.nodes.capacity[get(i)] ?? 0);
		var button = root_2();
		let classes_1;
		let styles_1;
		var span = child(button);
		var b_1 = child(span);
		var text = only_child(b_1, true);
		var span_1 = sibling(b_1);
		var text_1 = only_child(span_1, true);
		reset(span);
		var span_2 = sibling(span, 2);
		var span_3 = child(span_2);
		var text_2 = only_child(span_3, true);
		var span_4 = sibling(span_3, 2);
		let classes_2;
		var text_3 = only_child(span_4, true);
		reset(span_2);
		var node_2 = sibling(span_2, 2);
		var consequent = ($$anchor) => {
			var i_1 = root_1();
			let styles_2;
			template_effect(() => styles_2 = set_style(i_1, "", styles_2, { width: `${100 * (get(now)?.nodes.queued[get(i)] ?? 0) / get(room)}%` }));
			append($$anchor, i_1);
		};
		if_block(node_2, ($$render) => {
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
			styles_1 = set_style(button, "", styles_1, {
				left: `${get(computed_const).x ?? ""}px`,
				top: `${get(computed_const).y ?? ""}px`,
				width: `${WIDTH ?? ""}px`,
				height: `${HEIGHT ?? ""}px`
			});
			set_text(text, get(node).name);
			set_text(text_1, $0);
			set_text(text_2, get(bits) & 1 ? get(node).type : "off");
			classes_2 = set_class(span_4, 1, "svelte-sxd490", null, classes_2, { warn: get(losing) });
			set_text(text_3, $1);
		}, [() => rate(get(now)?.nodes.hz[get(i)]), () => get(lost) > 0 ? `${count(get(lost))} lost` : get(bits) & 16 ? "source" : get(room) ? `${get(now)?.nodes.queued[get(i)]}/${get(room)}` : "inline"]);
		delegated("click", button, () => place.set({ node: get(node).name }));
		append($$anchor, button);
	});
	reset(div_1);
	reset(section);
	var aside = sibling(section, 2);
	var node_3 = child(aside);
	NodePanel(node_3, { get node() {
		return get(chosen);
	} });
	reset(aside);
	reset(div);
	template_effect(() => {
		styles = set_style(div_1, "", styles, {
			width: `${get(size).width ?? ""}px`,
			height: `${get(size).height ?? ""}px`
		});
		set_attribute(svg, "width", get(size).width);
		set_attribute(svg, "height", get(size).height);
		set_attribute(aside, "aria-label", `Node ${get(chosen) ?? ""}`);
	});
	append($$anchor, div);
	pop();
}
delegate(["click"]);
export { Graph as default };
