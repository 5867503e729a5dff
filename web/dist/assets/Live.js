const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./Chart2.js","./Chart.js","./disclose-version.js","./units.js","./theme.js","./themed.svelte.js","./Chart.css"])))=>i.map(i=>d[i]);
import { B as child, C as await_block, D as comment, E as append, G as set, H as only_child, J as pop, K as state, L as template_effect, M as delegated, O as from_html, P as get, R as user_effect, S as if_block, T as set_text, U as sibling, V as first_child, X as next, Y as push, Z as reset, _ as component, b as index, g as clsx, h as set_class, j as delegate, k as from_svg, l as set_attribute, m as set_style, q as user_derived, r as prop, y as each } from "./disclose-version.js";
import { i as receiver, t as run } from "./run.svelte.js";
import { i as count, l as span, o as rate, u as timeOfDay } from "./units.js";
import { r as NodePanel, t as lanes } from "./lanes.js";
import { t as Picture } from "./Picture.js";
import { t as place } from "./place.svelte.js";
import { t as follow } from "./feed.svelte.js";
import { t as __vitePreload } from "./preload-helper.js";
// src/parts/LedgerBars.svelte
var root$5 = from_html(`<i class="asked svelte-1vyvxub"></i>`);
var root_1$4 = from_html(`<i class="lost svelte-1vyvxub"></i>`);
var root_2$4 = from_html(`<tr><th scope="row" class="svelte-1vyvxub"> </th><td class="svelte-1vyvxub"><div class="shares svelte-1vyvxub" aria-hidden="true"><i class="svelte-1vyvxub"></i> <!> <!></div></td><td class="svelte-1vyvxub"> </td><td> </td><td> </td></tr>`);
var root_3$4 = from_html(`<tr><td colspan="5" class="none faint svelte-1vyvxub">No frame was offered to an edge yet.</td></tr>`);
var root_4$3 = from_html(`<table class="svelte-1vyvxub"><thead class="svelte-1vyvxub"><tr><th scope="col" class="svelte-1vyvxub">edge</th><th scope="col" class="bar svelte-1vyvxub"><span class="quiet">shares</span></th><th scope="col" class="svelte-1vyvxub">delivered</th><th scope="col" class="svelte-1vyvxub">left out</th><th scope="col" class="svelte-1vyvxub">lost</th></tr></thead><tbody></tbody></table>`);
function LedgerBars($$anchor, $$props) {
	push($$props, true);
	let most = prop($$props, "most", 3, 1e3);
	const rows = user_derived(() => {
		const now = run.moment?.edges;
		const all = run.graph.edges.map((edge, i) => ({
			key: `${edge.from} ${edge.to} ${i}`,
			name: edge.nodes[1] === null ? `${edge.from.split(".")[0]} → pages` : `${edge.from.split(".")[0]} → ${receiver(edge)}`,
			hint: `${edge.from} → ${edge.to}${edge.max_rate_hz ? `, at most ${edge.max_rate_hz} Hz` : ""}`,
			offered: now?.offered[i] ?? 0,
			delivered: now?.delivered[i] ?? 0,
			asked: now?.left_out[i] ?? 0,
			lost: now?.lost[i] ?? 0
		}));
		const weight = (row) => row.lost > 0 ? 2 : row.asked > 0 ? 1 : 0;
		return all.filter((row) => row.offered > 0 || most() > 100).sort((a, b) => weight(b) - weight(a)).slice(0, most());
	});
	const part = (n, row) => n === 0 ? 0 : Math.max(.8, 100 * n / Math.max(1, row.offered));
	var table = root_4$3();
	var tbody = sibling(child(table));
	each(tbody, 21, () => get(rows), (row) => row.key, ($$anchor, row) => {
		var tr = root_2$4();
		var th = child(tr);
		var text = only_child(th, true);
		var td = sibling(th);
		var div = child(td);
		var i_1 = child(div);
		let styles;
		var node = sibling(i_1, 2);
		var consequent = ($$anchor) => {
			var i_2 = root$5();
			let styles_1;
			template_effect(($0) => styles_1 = set_style(i_2, "", styles_1, { flex: $0 }), [() => part(get(row).asked, get(row))]);
			append($$anchor, i_2);
		};
		if_block(node, ($$render) => {
			if (get(row).asked) $$render(consequent);
		});
		var node_1 = sibling(node, 2);
		var consequent_1 = ($$anchor) => {
			var i_3 = root_1$4();
			let styles_2;
			template_effect(($0) => styles_2 = set_style(i_3, "", styles_2, { flex: $0 }), [() => part(get(row).lost, get(row))]);
			append($$anchor, i_3);
		};
		if_block(node_1, ($$render) => {
			if (get(row).lost) $$render(consequent_1);
		});
		reset(div);
		reset(td);
		var td_1 = sibling(td);
		var text_1 = only_child(td_1, true);
		var td_2 = sibling(td_1);
		var text_2 = only_child(td_2, true);
		var td_3 = sibling(td_2);
		var text_3 = only_child(td_3, true);
		reset(tr);
		template_effect(($0, $1, $2, $3) => {
			set_attribute(th, "title", get(row).hint);
			set_text(text, get(row).name);
			styles = set_style(i_1, "", styles, { flex: $0 });
			set_text(text_1, $1);
			set_class(td_2, 1, clsx(get(row).asked ? "asked" : "faint"), "svelte-1vyvxub");
			set_text(text_2, $2);
			set_class(td_3, 1, clsx(get(row).lost ? "warn" : "faint"), "svelte-1vyvxub");
			set_text(text_3, $3);
		}, [
			() => part(get(row).delivered, get(row)),
			() => count(get(row).delivered),
			() => count(get(row).asked),
			() => count(get(row).lost)
		]);
		append($$anchor, tr);
	}, ($$anchor) => {
		var tr_1 = root_3$4();
		append($$anchor, tr_1);
	});
	reset(tbody);
	reset(table);
	append($$anchor, table);
	pop();
}
// src/parts/Pipeline.svelte
var root$4 = from_svg(`<path></path>`);
var root_1$3 = from_svg(`<!><!><!>`, 1);
var root_2$3 = from_html(`<span class="type also svelte-jonzhq"> </span>`);
var root_3$3 = from_html(`<span class="faint">source</span>`);
var root_4$2 = from_html(`<span class="faint">inline</span>`);
var root_5$1 = from_html(`<u class="svelte-jonzhq"></u>`);
var root_6 = from_html(`<span class="bar svelte-jonzhq" aria-hidden="true"><i></i> <!></span><span> </span>`, 1);
var root_7 = from_html(`<span class="warn"> </span>`);
var root_8 = from_html(`<span class="asked" title="left out as asked"> </span>`);
var root_9 = from_html(`<span class="faint">0</span>`);
var root_10 = from_html(`<tr><th scope="row" class="svelte-jonzhq"><div class="node svelte-jonzhq"><svg aria-hidden="true" class="svelte-jonzhq"><!><!><circle cy="15.500" r="3.500"></circle></svg> <button type="button" class="svelte-jonzhq"> </button> <span class="type svelte-jonzhq"> </span> <!></div></th><td> </td><td class="svelte-jonzhq"><!></td><td class="service svelte-jonzhq"> </td><td> </td><td class="cpu svelte-jonzhq"> </td><td class="lost svelte-jonzhq"><!></td></tr>`);
var root_11 = from_html(`<h2>Pipeline <span> </span><span class="right">frames/s</span></h2> <div class="holder svelte-jonzhq"><table class="svelte-jonzhq"><thead class="svelte-jonzhq"><tr><th scope="col" class="name svelte-jonzhq">node</th><th scope="col" class="out svelte-jonzhq">out/s</th><th scope="col" class="queue svelte-jonzhq">queue</th><th scope="col" class="service svelte-jonzhq">service</th><th scope="col" class="latency svelte-jonzhq" title="99 of 100 frames are faster">latency</th><th scope="col" class="cpu svelte-jonzhq" title="Percent of one core">CPU</th><th scope="col" class="lost svelte-jonzhq">lost</th></tr></thead><tbody class="svelte-jonzhq"></tbody></table></div>`, 1);
function Pipeline($$anchor, $$props) {
	push($$props, true);
	const LANE = 17;
	const ROW = 31;
	const SHOWN_MS = 6e4;
	const wires = user_derived(() => run.graph.edges.flatMap(({ nodes: [from, to], open }) => to === null || !open ? [] : [{
		from,
		to
	}]));
	const rows = user_derived(() => lanes(run.nodes.length, get(wires)));
	const now = user_derived(() => run.moment?.nodes);
	const peaks = [];
	let high = state([]);
	user_effect(() => {
		const moment = run.moment;
		if (!moment) return;
		const slot = Math.floor(moment.at_ns / 1e10);
		if (peaks.at(-1)?.slot !== slot) peaks.push({
			slot,
			queued: []
		});
		const latest = peaks.at(-1).queued;
		moment.nodes.queued.forEach((n, i) => latest[i] = Math.max(latest[i] ?? 0, n ?? 0));
		while (peaks.length > 0 && peaks[0].slot < slot - SHOWN_MS / 1e4) peaks.shift();
		set(high, run.nodes.map((_, i) => Math.max(...peaks.map((peak) => peak.queued[i] ?? 0))));
	});
	const ns = (ms) => ms === null || ms === void 0 ? null : ms * 1e6;
	const at = (list, i) => list?.[i] ?? 0;
	function move(event, index) {
		const by = {
			ArrowDown: 1,
			ArrowUp: -1,
			Home: -get(rows).length,
			End: get(rows).length
		}[event.key];
		if (by === void 0) return;
		event.preventDefault();
		const next = get(rows)[Math.min(get(rows).length - 1, Math.max(0, index + by))];
		const name = run.nodes[next?.node ?? 0]?.name ?? "";
		$$props.choose(name);
		document.getElementById(`node-${name}`)?.focus();
	}
	var fragment = root_11();
	var h2 = first_child(fragment);
	var span_1 = sibling(child(h2));
	var text = only_child(span_1);
	next();
	reset(h2);
	var div = sibling(h2, 2);
	var table = child(div);
	var tbody = sibling(child(table));
	each(tbody, 23, () => get(rows), (row) => row.node, ($$anchor, row, index$1) => {
		const node = user_derived(() => run.nodes[get(row).node]);
		const state = user_derived(() => at(get(now)?.state, get(row).node));
		const lost = user_derived(() => at(get(now)?.lost, get(row).node));
		const asked = user_derived(() => at(get(now)?.left_out, get(row).node));
		const queued = user_derived(() => at(get(now)?.queued, get(row).node));
		const room = user_derived(() => at(get(now)?.capacity, get(row).node));
		const width = user_derived(() => get(row).depth * LANE + 22);
		const x = user_derived(() => get(row).depth * LANE + 9);
		const off = user_derived(() => get(now) !== void 0 && !(get(state) & 1));
		var tr = root_10();
		let classes;
		var th = child(tr);
		var div_1 = child(th);
		var svg = child(div_1);
		set_attribute(svg, "height", ROW);
		var node_1 = child(svg);
		each(node_1, 17, () => get(row).strokes, index, ($$anchor, stroke, lane) => {
			const lx = user_derived(() => lane * LANE + 9);
			var fragment_1 = root_1$3();
			var node_2 = first_child(fragment_1);
			var consequent = ($$anchor) => {
				var path = root$4();
				template_effect(() => set_attribute(path, "d", `M${get(lx) ?? ""} 0v31`));
				append($$anchor, path);
			};
			if_block(node_2, ($$render) => {
				if (get(stroke) === "pass") $$render(consequent);
			});
			var node_3 = sibling(node_2);
			var consequent_1 = ($$anchor) => {
				var path_1 = root$4();
				template_effect(() => set_attribute(path_1, "d", `M${get(lx) ?? ""} 0v31M${get(lx) ?? ""} 15.500h13`));
				append($$anchor, path_1);
			};
			if_block(node_3, ($$render) => {
				if (get(stroke) === "branch") $$render(consequent_1);
			});
			var node_4 = sibling(node_3);
			var consequent_2 = ($$anchor) => {
				var path_2 = root$4();
				template_effect(() => set_attribute(path_2, "d", `M${get(lx) ?? ""} 0v15.500h13`));
				append($$anchor, path_2);
			};
			if_block(node_4, ($$render) => {
				if (get(stroke) === "end") $$render(consequent_2);
			});
			append($$anchor, fragment_1);
		});
		var node_5 = sibling(node_1);
		var consequent_3 = ($$anchor) => {
			var path_3 = root$4();
			template_effect(() => set_attribute(path_3, "d", `M${get(x) ?? ""} 15.500v31`));
			append($$anchor, path_3);
		};
		if_block(node_5, ($$render) => {
			if (get(row).hasChildren) $$render(consequent_3);
		});
		var circle = sibling(node_5);
		let classes_1;
		reset(svg);
		var button = sibling(svg, 2);
		var text_1 = only_child(button, true);
		var span_2 = sibling(button, 2);
		var text_2 = only_child(span_2, true);
		var node_6 = sibling(span_2, 2);
		var consequent_4 = ($$anchor) => {
			var span_3 = root_2$3();
			var text_3 = only_child(span_3);
			template_effect(($0) => {
				set_attribute(span_3, "title", `also fed by ${$0 ?? ""}`);
				set_text(text_3, `+${get(row).alsoFrom.length ?? ""}`);
			}, [() => get(row).alsoFrom.map((i) => run.nodes[i]?.name).join(", ")]);
			append($$anchor, span_3);
		};
		if_block(node_6, ($$render) => {
			if (get(row).alsoFrom.length > 0) $$render(consequent_4);
		});
		reset(div_1);
		reset(th);
		var td = sibling(th);
		let classes_2;
		var text_4 = only_child(td, true);
		var td_1 = sibling(td);
		var node_7 = child(td_1);
		var consequent_5 = ($$anchor) => {
			var span_4 = root_3$3();
			append($$anchor, span_4);
		};
		var consequent_6 = ($$anchor) => {
			var span_5 = root_4$2();
			append($$anchor, span_5);
		};
		var alternate = ($$anchor) => {
			var fragment_2 = root_6();
			var span_6 = first_child(fragment_2);
			var i_1 = child(span_6);
			let classes_3;
			let styles;
			var node_8 = sibling(i_1, 2);
			var consequent_7 = ($$anchor) => {
				var u = root_5$1();
				let styles_1;
				template_effect(($0) => styles_1 = set_style(u, "", styles_1, { left: $0 }), [() => `${Math.min(98, 100 * (get(high)[get(row).node] ?? 0) / get(room))}%`]);
				append($$anchor, u);
			};
			if_block(node_8, ($$render) => {
				if (get(high)[get(row).node]) $$render(consequent_7);
			});
			reset(span_6);
			var span_7 = sibling(span_6);
			let classes_4;
			var text_5 = only_child(span_7);
			template_effect(() => {
				classes_3 = set_class(i_1, 1, "svelte-jonzhq", null, classes_3, { warn: get(queued) / get(room) > .4 });
				styles = set_style(i_1, "", styles, { width: `${100 * get(queued) / get(room)}%` });
				classes_4 = set_class(span_7, 1, "fill svelte-jonzhq", null, classes_4, { faint: get(queued) === 0 });
				set_text(text_5, `${get(queued) ?? ""}/${get(room) ?? ""}`);
			});
			append($$anchor, fragment_2);
		};
		if_block(node_7, ($$render) => {
			if (get(state) & 16) $$render(consequent_5);
			else if (get(room) === 0) $$render(consequent_6, 1);
			else $$render(alternate, -1);
		});
		reset(td_1);
		var td_2 = sibling(td_1);
		var text_6 = only_child(td_2, true);
		var td_3 = sibling(td_2);
		let classes_5;
		var text_7 = only_child(td_3, true);
		var td_4 = sibling(td_3);
		var text_8 = only_child(td_4, true);
		var td_5 = sibling(td_4);
		var node_9 = child(td_5);
		var consequent_8 = ($$anchor) => {
			var span_8 = root_7();
			var text_9 = only_child(span_8, true);
			template_effect(($0) => set_text(text_9, $0), [() => count(get(lost))]);
			append($$anchor, span_8);
		};
		var consequent_9 = ($$anchor) => {
			var span_9 = root_8();
			var text_10 = only_child(span_9);
			template_effect(($0) => set_text(text_10, `(${$0 ?? ""})`), [() => count(get(asked))]);
			append($$anchor, span_9);
		};
		var alternate_1 = ($$anchor) => {
			var span_10 = root_9();
			append($$anchor, span_10);
		};
		if_block(node_9, ($$render) => {
			if (get(lost) > 0) $$render(consequent_8);
			else if (get(asked) > 0) $$render(consequent_9, 1);
			else $$render(alternate_1, -1);
		});
		reset(td_5);
		reset(tr);
		template_effect(($0, $1, $2, $3, $4) => {
			classes = set_class(tr, 1, "svelte-jonzhq", null, classes, { current: get(node).name === $$props.chosen });
			set_attribute(svg, "width", get(width));
			set_attribute(svg, "viewBox", `0 0 ${get(width) ?? ""} 31`);
			set_attribute(circle, "cx", get(x));
			classes_1 = set_class(circle, 0, "svelte-jonzhq", null, classes_1, {
				lost: get(lost) > 0,
				off: get(off)
			});
			set_attribute(button, "id", `node-${get(node).name ?? ""}`);
			set_attribute(button, "title", `${get(node).name ?? ""}, ${get(node).type ?? ""}`);
			set_attribute(button, "aria-pressed", get(node).name === $$props.chosen);
			set_attribute(button, "tabindex", get(node).name === $$props.chosen || !$$props.chosen && get(index$1) === 0 ? 0 : -1);
			set_text(text_1, get(node).name);
			set_text(text_2, get(off) ? "off" : get(node).type);
			classes_2 = set_class(td, 1, "svelte-jonzhq", null, classes_2, { faint: $0 });
			set_text(text_4, $1);
			set_text(text_6, $2);
			classes_5 = set_class(td_3, 1, "latency svelte-jonzhq", null, classes_5, { warn: get(lost) > 0 });
			set_text(text_7, $3);
			set_text(text_8, $4);
		}, [
			() => at(get(now)?.hz, get(row).node) === 0,
			() => rate(get(now)?.hz[get(row).node]),
			() => span(ns(get(now)?.service_p50_ms[get(row).node])),
			() => get(state) & 16 ? "–" : span(ns(get(now)?.latency_p99_ms[get(row).node])),
			() => get(now)?.cpu[get(row).node] === null ? "–" : Math.round(at(get(now)?.cpu, get(row).node))
		]);
		delegated("click", tr, () => $$props.choose(get(node).name));
		delegated("keydown", button, (event) => move(event, get(index$1)));
		append($$anchor, tr);
	});
	reset(tbody);
	reset(table);
	reset(div);
	template_effect(() => set_text(text, `${run.nodes.length ?? ""} nodes, ${get(wires).length ?? ""} edges · last second`));
	append($$anchor, fragment);
	pop();
}
delegate(["click", "keydown"]);
// src/screens/live/Events.svelte
var root$3 = from_html(`<span class="alarm"> </span>`);
var root_1$2 = from_html(`<span class="faint"> </span>`);
var root_2$2 = from_html(`<time class="svelte-urhke3"> </time> <span> </span> <span class="text svelte-urhke3"><span> </span> <!> <!></span>`, 1);
var root_3$2 = from_html(`<span class="faint none svelte-urhke3">Nothing has happened since this page looks.</span>`);
var root_4$1 = from_html(`<h2>Events <span class="right"> </span></h2> <div class="log scroll svelte-urhke3" role="log" aria-label="Events" tabindex="-1"></div>`, 1);
function Events($$anchor, $$props) {
	push($$props, true);
	let most = prop($$props, "most", 3, 60);
	const entries = user_derived(() => run.log.slice(-most()).reverse());
	function who({ by }) {
		if (!by || by.face === "program") return "";
		const host = by.from.replace(/:\d+$/, "");
		return [
			by.user,
			by.face,
			host
		].filter(Boolean).join(", ");
	}
	var fragment = root_4$1();
	var h2 = first_child(fragment);
	var span = sibling(child(h2));
	var text = only_child(span);
	reset(h2);
	var div = sibling(h2, 2);
	each(div, 21, () => get(entries), (entry) => entry.number, ($$anchor, entry) => {
		const bad = user_derived(() => get(entry).level === "error" || Boolean(get(entry).problem));
		var fragment_1 = root_2$2();
		var time = first_child(fragment_1);
		var text_1 = only_child(time, true);
		var span_1 = sibling(time, 2);
		let classes;
		var text_2 = only_child(span_1, true);
		var span_2 = sibling(span_1, 2);
		var span_3 = child(span_2);
		let classes_1;
		var text_3 = only_child(span_3, true);
		var node = sibling(span_3, 2);
		var consequent = ($$anchor) => {
			var span_4 = root$3();
			var text_4 = only_child(span_4);
			template_effect(() => set_text(text_4, `refused: ${get(entry).problem ?? ""}`));
			append($$anchor, span_4);
		};
		if_block(node, ($$render) => {
			if (get(entry).problem) $$render(consequent);
		});
		var node_1 = sibling(node, 2);
		var consequent_1 = ($$anchor) => {
			var span_5 = root_1$2();
			var text_5 = only_child(span_5, true);
			template_effect(($0) => set_text(text_5, $0), [() => who(get(entry))]);
			append($$anchor, span_5);
		};
		if_block(node_1, ($$render) => {
			if (get(entry).what === "action") $$render(consequent_1);
		});
		reset(span_2);
		template_effect(($0) => {
			set_text(text_1, $0);
			classes = set_class(span_1, 1, "node svelte-urhke3", null, classes, {
				dim: !get(entry).node,
				warn: get(bad)
			});
			set_attribute(span_1, "title", get(entry).node);
			set_text(text_2, get(entry).node || "run");
			classes_1 = set_class(span_3, 1, "", null, classes_1, { warn: get(bad) });
			set_text(text_3, get(entry).text);
		}, [() => timeOfDay(get(entry).at_ns / 1e6)]);
		append($$anchor, fragment_1);
	}, ($$anchor) => {
		var span_6 = root_3$2();
		append($$anchor, span_6);
	});
	reset(div);
	template_effect(($0, $1) => set_text(text, `${$0 ?? ""} kept${$1 ?? ""}`), [() => count(run.log.length), () => run.logLeftOut > 0 ? `, ${count(run.logLeftOut)} left out` : ""]);
	append($$anchor, fragment);
	pop();
}
// src/screens/live/Limits.svelte
var root$2 = from_html(`<p class="faint svelte-fr21m0">Known a few seconds after frames flow.</p>`);
var root_1$1 = from_html(`<span class="label svelte-fr21m0"> </span> <div><i class="svelte-fr21m0"></i></div> <span class="n svelte-fr21m0"> </span><span class="n dim svelte-fr21m0"> </span>`, 1);
var root_2$1 = from_html(`<span class="label svelte-fr21m0"> </span> <div><i class="svelte-fr21m0"></i></div> <span class="n svelte-fr21m0"> </span> <span class="n dim svelte-fr21m0"> </span>`, 1);
var root_3$1 = from_html(`<p class="faint svelte-fr21m0"> </p>`);
var root_4 = from_html(`<div class="bars svelte-fr21m0"><!> <!></div> <!>`, 1);
var root_5 = from_html(`<h2>What limits <span> </span></h2> <!>`, 1);
function Limits($$anchor, $$props) {
	push($$props, true);
	const SHOWN = 4;
	const limit = user_derived(() => run.moment?.limit ?? null);
	const byCpu = user_derived(() => get(limit)?.limit.by === "cpu");
	const busiest = user_derived(() => {
		const now = run.moment?.nodes;
		const hz = (i) => Math.max(now?.in_hz[i] ?? 0, now?.hz[i] ?? 0);
		return run.nodes.map((node, i) => {
			if (get(limit) && node.name === get(limit).busiest_node) return {
				name: node.name,
				busy: get(limit).utilisation,
				most: get(limit).rate_hz / get(limit).utilisation
			};
			const busy = Math.min(1, hz(i) * (now?.service_p50_ms[i] ?? 0) / 1e3);
			return {
				name: node.name,
				busy,
				most: hz(i) / busy
			};
		}).filter((n) => n.busy > 5e-4).sort((a, b) => b.busy - a.busy).slice(0, SHOWN);
	});
	const percent = (part) => part < .0095 ? "< 1" : Math.round(part * 100).toString();
	var fragment = root_5();
	var h2 = first_child(fragment);
	var span = sibling(child(h2));
	var text = only_child(span);
	reset(h2);
	var node_1 = sibling(h2, 2);
	var consequent = ($$anchor) => {
		var p = root$2();
		append($$anchor, p);
	};
	var alternate = ($$anchor) => {
		var fragment_1 = root_4();
		var div = first_child(fragment_1);
		var node_2 = child(div);
		each(node_2, 17, () => get(busiest), ({ name, busy, most }) => name, ($$anchor, $$item) => {
			let name = () => get($$item).name;
			let busy = () => get($$item).busy;
			let most = () => get($$item).most;
			var fragment_2 = root_1$1();
			var span_1 = first_child(fragment_2);
			var text_1 = only_child(span_1, true);
			var div_1 = sibling(span_1, 2);
			let classes;
			var i_1 = child(div_1);
			let styles;
			reset(div_1);
			var span_2 = sibling(div_1, 2);
			var text_2 = only_child(span_2);
			var span_3 = sibling(span_2);
			var text_3 = only_child(span_3);
			template_effect(($0, $1, $2) => {
				set_attribute(span_1, "title", name());
				set_text(text_1, name());
				classes = set_class(div_1, 1, "bar svelte-fr21m0", null, classes, { hot: !get(byCpu) && name() === get(limit).limit.node });
				styles = set_style(i_1, "", styles, { width: $0 });
				set_text(text_2, `${$1 ?? ""} %`);
				set_text(text_3, `${$2 ?? ""} Hz`);
			}, [
				() => `${Math.min(100, busy() * 100)}%`,
				() => percent(busy()),
				() => rate(most())
			]);
			append($$anchor, fragment_2);
		});
		var node_3 = sibling(node_2, 2);
		var consequent_1 = ($$anchor) => {
			var fragment_3 = root_2$1();
			var span_4 = first_child(fragment_3);
			var text_4 = only_child(span_4);
			var div_2 = sibling(span_4, 2);
			let classes_1;
			var i_2 = child(div_2);
			let styles_1;
			reset(div_2);
			var span_5 = sibling(div_2, 2);
			var text_5 = only_child(span_5);
			var span_6 = sibling(span_5, 2);
			var text_6 = only_child(span_6);
			template_effect(($0, $1, $2) => {
				set_text(text_4, `${run.run?.cores ?? ""} cores`);
				classes_1 = set_class(div_2, 1, "bar svelte-fr21m0", null, classes_1, { hot: get(byCpu) });
				styles_1 = set_style(i_2, "", styles_1, { width: $0 });
				set_text(text_5, `${$1 ?? ""} %`);
				set_text(text_6, `${$2 ?? ""} Hz`);
			}, [
				() => `${Math.min(100, get(limit).cpu_utilisation * 100)}%`,
				() => percent(get(limit).cpu_utilisation),
				() => rate(get(limit).rate_hz / Math.max(get(limit).cpu_utilisation, 1e-9))
			]);
			append($$anchor, fragment_3);
		};
		if_block(node_3, ($$render) => {
			if (get(limit).cpu_utilisation !== null) $$render(consequent_1);
		});
		reset(div);
		var node_4 = sibling(div, 2);
		var consequent_2 = ($$anchor) => {
			var p_1 = root_3$1();
			var text_7 = only_child(p_1);
			template_effect(($0) => set_text(text_7, `${get(limit).one_more_thread.node ?? ""} on ${get(limit).one_more_thread.placement ?? ""}: ${$0 ?? ""} Hz`), [() => rate(get(limit).one_more_thread.sustainable_hz)]);
			append($$anchor, p_1);
		};
		if_block(node_4, ($$render) => {
			if (get(limit).one_more_thread) $$render(consequent_2);
		});
		append($$anchor, fragment_1);
	};
	if_block(node_1, ($$render) => {
		if (!get(limit)) $$render(consequent);
		else $$render(alternate, -1);
	});
	template_effect(() => set_text(text, `from service times and ${run.run?.cores ?? "–" ?? ""} cores`));
	append($$anchor, fragment);
	pop();
}
// src/screens/live/Strips.svelte
var root$1 = from_html(`<i class="key svelte-ujkihp"></i> `, 1);
var root_1 = from_html(`<p class="faint"> </p>`);
var root_2 = from_html(`<p class="faint">What draws lines could not be loaded from the server.</p>`);
var root_3 = from_html(`<div class="strip svelte-ujkihp"><h2> <span> <!></span></h2> <!> <!></div>`);
function Strips($$anchor, $$props) {
	push($$props, true);
	const lines = __vitePreload(() => import("./Chart2.js"), __vite__mapDeps([0,1,2,3,4,5,6]), import.meta.url);
	const SPAN_MS = 6e5;
	const POINTS = 400;
	const busiest = user_derived(() => run.moment?.limit?.busiest_node ?? "");
	let steady = state("");
	user_effect(() => {
		if (get(busiest) && !get(steady)) set(steady, get(busiest), true);
	});
	const others = user_derived(() => [...new Set([get(steady), $$props.chosen])].filter((name) => run.byName.has(name) && run.edgeTo(name)));
	const strips = user_derived(() => [
		{
			title: "Rate",
			about: "Hz",
			names: ["run.hz", ...$$props.chosen ? [`${$$props.chosen}.hz`] : []]
		},
		{
			title: "Latency",
			about: "ms, p99",
			names: get(others).map((name) => `${name}.latency_p99_ms`)
		},
		{
			title: "Queue",
			about: "frames",
			names: get(others).map((name) => `${name}.queued`)
		},
		{
			title: "CPU",
			about: "% of one core",
			names: ["run.cpu", ...$$props.chosen ? [`${$$props.chosen}.cpu`] : []]
		}
	]);
	const all = user_derived(() => [...new Set(get(strips).flatMap((strip) => strip.names))]);
	const wanted = user_derived(() => get(all).join(","));
	let shown = state({
		times: [],
		columns: {}
	});
	let problem = state("");
	user_effect(() => follow(get(wanted).split(","), "fine", SPAN_MS, (series, failure) => {
		set(problem, failure, true);
		show(series);
	}));
	function show(series) {
		const { times, columns } = series.thinned(POINTS);
		set(shown, {
			times,
			columns: Object.fromEntries(series.names.map((name, i) => [name, columns[i]]))
		});
	}
	const titleOf = (name) => name.startsWith("run.") ? "all" : name.split(".")[0];
	var fragment = comment();
	var node = first_child(fragment);
	each(node, 17, () => get(strips), ({ title, about, names }) => title, ($$anchor, $$item) => {
		let title = () => get($$item).title;
		let about = () => get($$item).about;
		let names = () => get($$item).names;
		var div = root_3();
		var h2 = child(div);
		var text = child(h2);
		var span = sibling(text);
		var text_1 = child(span);
		var node_1 = sibling(text_1);
		each(node_1, 18, names, (name) => name, ($$anchor, name, i) => {
			var fragment_1 = root$1();
			var i_1 = first_child(fragment_1);
			let styles;
			var text_2 = sibling(i_1, 1, true);
			template_effect(($0) => {
				styles = set_style(i_1, "", styles, { background: `var(--s${get(i) + 1})` });
				set_text(text_2, $0);
			}, [() => titleOf(name)]);
			append($$anchor, fragment_1);
		});
		reset(span);
		reset(h2);
		var node_2 = sibling(h2, 2);
		var consequent = ($$anchor) => {
			var p = root_1();
			var text_3 = only_child(p, true);
			template_effect(() => set_text(text_3, get(problem)));
			append($$anchor, p);
		};
		if_block(node_2, ($$render) => {
			if (get(problem)) $$render(consequent);
		});
		var node_3 = sibling(node_2, 2);
		await_block(node_3, () => lines, null, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: Chart } = get($$source);
				return { Chart };
			});
			var Chart = user_derived(() => get($$value).Chart);
			var fragment_2 = comment();
			var node_4 = first_child(fragment_2);
			{
				let $0 = user_derived(() => names().map((name) => get(shown).columns[name] ?? []));
				component(node_4, () => get(Chart), ($$anchor, Chart_1) => {
					Chart_1($$anchor, {
						get times() {
							return get(shown).times;
						},
						get columns() {
							return get($0);
						},
						get names() {
							return names();
						},
						spanMs: SPAN_MS,
						get label() {
							return title();
						}
					});
				});
			}
			append($$anchor, fragment_2);
		}, ($$anchor) => {
			var p_1 = root_2();
			append($$anchor, p_1);
		});
		reset(div);
		template_effect(() => {
			set_text(text, `${title() ?? ""} `);
			set_text(text_1, `${about() ?? ""} `);
		});
		append($$anchor, div);
	});
	append($$anchor, fragment);
	pop();
}
// src/screens/live/Live.svelte
var root = from_html(`<div class="live svelte-1p6wj4q"><h1 class="quiet">Live</h1> <section class="panel left scroll svelte-1p6wj4q" aria-label="Pipeline"><div class="pipeline scroll svelte-1p6wj4q"><!></div> <div class="below svelte-1p6wj4q"><!></div> <div class="below svelte-1p6wj4q"><h2>Ledger <span>offered = delivered + left out + lost + queued</span></h2> <!></div></section> <section class="panel middle svelte-1p6wj4q"><!></section> <aside class="panel right svelte-1p6wj4q"><!></aside> <section class="bottom svelte-1p6wj4q" aria-label="The last ten minutes"><!> <div class="events svelte-1p6wj4q"><!></div></section></div>`);
function Live($$anchor, $$props) {
	push($$props, true);
	const sends = (name) => run.node(name)?.outputs.find((output) => output.kinds.includes("array"))?.name;
	const firstPicture = user_derived(() => run.nodes.map((node) => sends(node.name)).find(Boolean) ?? "");
	const source = user_derived(() => place.get("view") || get(firstPicture));
	const chosen = user_derived(() => place.get("node") || (run.nodes.find((node) => node.type === "roi") ?? run.nodes[0])?.name || "");
	const choose = (node) => place.set({ node });
	var div = root();
	var section = sibling(child(div), 2);
	var div_1 = child(section);
	Pipeline(child(div_1), {
		get chosen() {
			return get(chosen);
		},
		choose
	});
	reset(div_1);
	var div_2 = sibling(div_1, 2);
	Limits(child(div_2), {});
	reset(div_2);
	var div_3 = sibling(div_2, 2);
	LedgerBars(sibling(child(div_3), 2), { most: 6 });
	reset(div_3);
	reset(section);
	var section_1 = sibling(section, 2);
	var node_4 = child(section_1);
	Picture(node_4, {
		get source() {
			return get(source);
		},
		get chosen() {
			return get(chosen);
		},
		choose
	});
	reset(section_1);
	var aside = sibling(section_1, 2);
	var node_5 = child(aside);
	NodePanel(node_5, { get node() {
		return get(chosen);
	} });
	reset(aside);
	var section_2 = sibling(aside, 2);
	var node_6 = child(section_2);
	Strips(node_6, { get chosen() {
		return get(chosen);
	} });
	var div_4 = sibling(node_6, 2);
	Events(child(div_4), {});
	reset(div_4);
	reset(section_2);
	reset(div);
	template_effect(() => set_attribute(aside, "aria-label", `Node ${get(chosen) ?? ""}`));
	append($$anchor, div);
	pop();
}
export { Live as default };
