import { $t as reset, A as ago, At as from_html, Bt as user_effect, Dt as set_text, E as inWords, F as share, Gt as sibling, Ht as child, It as get, Jt as state, K as report, L as span, M as count, Mt as text, Nt as delegate, Ot as append, Pt as delegated, Qt as next, St as each, T as Name, Tt as if_block, Ut as first_child, Wt as only_child, Xt as pop, Yt as user_derived, Zt as push, _t as set_style, dt as set_attribute, en as noop, h as saveFile, kt as comment, n as past, qt as set, r as follow, t as Past, tn as to_array, vt as set_class, yt as clsx, z as run, zt as template_effect } from "./page.js";
import { t as Chart } from "./Chart.js";
// src/screens/ledger/Ledger.svelte
var why = ($$anchor, reasons = noop) => {
	var fragment = comment();
	var node_1 = first_child(fragment);
	each(node_1, 17, reasons, ([, reason, n, , intended, grewNs, losing]) => reason, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 7));
		let reason = () => get($$array)[1];
		let n = () => get($$array)[2];
		let intended = () => get($$array)[4];
		let grewNs = () => get($$array)[5];
		let losing = () => get($$array)[6];
		var fragment_1 = root();
		var span_1 = first_child(fragment_1);
		var text_1 = child(span_1);
		var node_2 = sibling(text_1);
		var consequent = ($$anchor) => {
			var text_2 = text();
			template_effect(($0) => set_text(text_2, `, ${$0 ?? ""}`), [() => ago((run.moment.at_ns - grewNs()) / 1e6)]);
			append($$anchor, text_2);
		};
		if_block(node_2, ($$render) => {
			if (!intended()) $$render(consequent);
		});
		reset(span_1);
		next();
		template_effect(($0, $1) => {
			set_class(span_1, 1, clsx(intended() ? "asked" : losing() ? "warn" : ""), "svelte-3umllc");
			set_text(text_1, `${$0 ?? ""} ${$1 ?? ""}`);
		}, [() => inWords(reason()), () => count(n())]);
		append($$anchor, fragment_1);
	});
	append($$anchor, fragment);
};
var root = from_html(`<span> <!></span>&ensp;`, 1);
var root_1 = from_html(`<i class="key svelte-3umllc"></i> `, 1);
var root_2 = from_html(`<p class="alarm svelte-3umllc" role="alert"> </p>`);
var root_3 = from_html(`<tr><th scope="row" class="svelte-3umllc"><!></th><td class="svelte-3umllc"><!> </td><td class="dim svelte-3umllc"> </td><td class="n svelte-3umllc"> </td><td class="svelte-3umllc"><div class="shares svelte-3umllc" aria-hidden="true"><i class="svelte-3umllc"></i> <i class="asked svelte-3umllc"></i> <i class="lost svelte-3umllc"></i></div></td><td class="n svelte-3umllc"> </td><td> </td><td> </td><td> </td><td class="svelte-3umllc"><!></td><td class="n dim svelte-3umllc"> </td></tr>`);
var root_4 = from_html(`<tr class="svelte-3umllc"><td colspan="11" class="dim svelte-3umllc">This run has no edges.</td></tr>`);
var root_5 = from_html(`<tr class="svelte-3umllc"><th scope="row" class="svelte-3umllc"> </th><td class="dim svelte-3umllc">in the node</td><td class="svelte-3umllc"></td><td class="svelte-3umllc"></td><td class="svelte-3umllc"></td><td class="svelte-3umllc"></td><td class="svelte-3umllc"></td><td> </td><td> </td><td class="svelte-3umllc"><!></td><td class="svelte-3umllc"></td></tr>`);
var root_6 = from_html(`<div class="ledger svelte-3umllc"><section class="panel head svelte-3umllc"><header class="svelte-3umllc"><h1 class="svelte-3umllc">Ledger</h1> <span class="dim svelte-3umllc"> </span> <span class="space svelte-3umllc"></span> <!> <button class="btn svelte-3umllc" type="button">Download report</button></header> <h2 class="svelte-3umllc">Lost <span class="svelte-3umllc">frames since the start, unintended<!></span></h2> <!> <div class="chart svelte-3umllc"><!></div></section>  <section class="panel scroll accounts svelte-3umllc" aria-label="Accounts" tabindex="0"><table class="svelte-3umllc"><thead class="svelte-3umllc"><tr class="svelte-3umllc"><th scope="col" class="svelte-3umllc">from</th><th scope="col" class="svelte-3umllc">to</th><th scope="col" class="svelte-3umllc">when full</th><th scope="col" class="n svelte-3umllc">offered</th><th scope="col" class="bar svelte-3umllc"><span class="quiet svelte-3umllc">shares</span></th><th scope="col" class="n svelte-3umllc">delivered</th><th scope="col" class="n svelte-3umllc">queued</th><th scope="col" class="n svelte-3umllc">left out</th><th scope="col" class="n svelte-3umllc">lost</th><th scope="col" class="svelte-3umllc">reasons</th><th scope="col" class="n svelte-3umllc">waiting p99, whole run</th></tr></thead><tbody class="svelte-3umllc"><!><!></tbody><tfoot class="svelte-3umllc"><tr class="svelte-3umllc"><th scope="row" class="svelte-3umllc">all</th><td class="svelte-3umllc"></td><td class="svelte-3umllc"></td><td class="n svelte-3umllc"> </td><td class="svelte-3umllc"></td><td class="n svelte-3umllc"> </td><td class="n svelte-3umllc"> </td><td class="n asked svelte-3umllc"> </td><td> </td><td class="svelte-3umllc"></td><td class="svelte-3umllc"></td></tr></tfoot></table></section></div>`);
function Ledger($$anchor, $$props) {
	push($$props, true);
	const $$d = user_derived(past), step = user_derived(() => get($$d).step), spanMs = user_derived(() => get($$d).spanMs);
	const now = user_derived(() => run.moment?.edges);
	const losses = user_derived(() => run.moment?.losses ?? []);
	const rows = user_derived(() => run.graph.edges.map((edge, i) => ({
		edge,
		i,
		reasons: get(losses).filter(([at]) => at === i)
	})));
	const inNodes = user_derived(() => run.nodes.map((node, i) => ({
		node,
		i,
		reasons: get(losses).filter(([edge, , , at]) => edge === null && at === i)
	})).filter(({ reasons }) => reasons.length > 0));
	const total = user_derived(() => run.moment?.run);
	const of = (reasons, asked) => reasons.reduce((all, [, , n, , intended]) => all + (intended === asked ? n : 0), 0);
	const losers = user_derived(() => run.nodes.map((node, i) => ({
		name: node.name,
		lost: run.moment?.nodes.lost[i] ?? 0
	})).filter((n) => n.lost > 0).sort((a, b) => b.lost - a.lost).slice(0, 5).map((n) => n.name).sort().join("\n"));
	const names = user_derived(() => ["run.unintended", ...get(losers).split("\n").filter(Boolean).map((name) => `${name}.lost`)]);
	let shown = state({
		times: [],
		columns: []
	});
	let problem = state("");
	user_effect(() => follow(get(names), get(step), get(spanMs), (series, failure) => {
		set(problem, failure, true);
		set(shown, { ...series.thinned(600) });
	}));
	async function save() {
		try {
			const text = JSON.stringify(run.ended ?? await report(), null, 1);
			saveFile(new Blob([text], { type: "application/json" }), "livetime-report.json");
		} catch (failure) {
			set(problem, failure.message, true);
		}
	}
	const shareOf = (n, of) => of ? 100 * (n ?? 0) / of : 0;
	var div = root_6();
	var section = child(div);
	var header = child(section);
	var span_2 = sibling(child(header), 2);
	var text_3 = only_child(span_2);
	var node_3 = sibling(span_2, 4);
	Past(node_3, {});
	var button = sibling(node_3, 2);
	reset(header);
	var h2 = sibling(header, 2);
	var span_3 = sibling(child(h2));
	var node_4 = sibling(child(span_3));
	each(node_4, 18, () => get(names), (name) => name, ($$anchor, name, i) => {
		var fragment_3 = root_1();
		var i_1 = first_child(fragment_3);
		let styles;
		var text_4 = sibling(i_1, 1, true);
		template_effect(($0) => {
			styles = set_style(i_1, "", styles, { background: `var(--s${get(i) + 1})` });
			set_text(text_4, $0);
		}, [() => name === "run.unintended" ? "all" : name.replace(/\.lost$/, "")]);
		append($$anchor, fragment_3);
	});
	reset(span_3);
	reset(h2);
	var node_5 = sibling(h2, 2);
	var consequent_1 = ($$anchor) => {
		var p = root_2();
		var text_5 = only_child(p, true);
		template_effect(() => set_text(text_5, get(problem)));
		append($$anchor, p);
	};
	if_block(node_5, ($$render) => {
		if (get(problem)) $$render(consequent_1);
	});
	var div_1 = sibling(node_5, 2);
	var node_6 = child(div_1);
	Chart(node_6, {
		get times() {
			return get(shown).times;
		},
		get columns() {
			return get(shown).columns;
		},
		get names() {
			return get(names);
		},
		get spanMs() {
			return get(spanMs);
		},
		label: "Frames lost"
	});
	reset(div_1);
	reset(section);
	var section_1 = sibling(section, 2);
	var table = child(section_1);
	var tbody = sibling(child(table));
	var node_7 = child(tbody);
	each(node_7, 17, () => get(rows), ({ edge, i, reasons }) => i, ($$anchor, $$item) => {
		let edge = () => get($$item).edge;
		let i = () => get($$item).i;
		let reasons = () => get($$item).reasons;
		var tr = root_3();
		let classes;
		var th = child(tr);
		var node_8 = child(th);
		Name(node_8, { get name() {
			return edge().from;
		} });
		reset(th);
		var td = sibling(th);
		var node_9 = child(td);
		Name(node_9, { get name() {
			return edge().to;
		} });
		var text_6 = sibling(node_9, 1, true);
		reset(td);
		var td_1 = sibling(td);
		var text_7 = only_child(td_1, true);
		var td_2 = sibling(td_1);
		var text_8 = only_child(td_2, true);
		var td_3 = sibling(td_2);
		var div_2 = child(td_3);
		var i_2 = child(div_2);
		let styles_1;
		var i_3 = sibling(i_2, 2);
		let styles_2;
		var i_4 = sibling(i_3, 2);
		let styles_3;
		reset(div_2);
		reset(td_3);
		var td_4 = sibling(td_3);
		var text_9 = only_child(td_4, true);
		var td_5 = sibling(td_4);
		let classes_1;
		var text_10 = only_child(td_5, true);
		var td_6 = sibling(td_5);
		var text_11 = only_child(td_6, true);
		var td_7 = sibling(td_6);
		var text_12 = only_child(td_7, true);
		var td_8 = sibling(td_7);
		why(child(td_8), reasons);
		reset(td_8);
		var td_9 = sibling(td_8);
		var text_13 = only_child(td_9, true);
		reset(tr);
		template_effect(($0, $1, $2, $3, $4, $5, $6, $7, $8, $9) => {
			classes = set_class(tr, 1, "svelte-3umllc", null, classes, { closed: !edge().open });
			set_text(text_6, edge().open ? "" : " (gone)");
			set_text(text_7, $0);
			set_text(text_8, $1);
			styles_1 = set_style(i_2, "", styles_1, { width: $2 });
			styles_2 = set_style(i_3, "", styles_2, { width: $3 });
			styles_3 = set_style(i_4, "", styles_3, {
				width: $4,
				"min-width": get(now)?.lost[i()] ? "2px" : "0"
			});
			set_text(text_9, $5);
			classes_1 = set_class(td_5, 1, "n svelte-3umllc", null, classes_1, { faint: !get(now)?.queued[i()] });
			set_text(text_10, $6);
			set_class(td_6, 1, `n ${get(now)?.left_out[i()] ? "asked" : "faint"}`, "svelte-3umllc");
			set_text(text_11, $7);
			set_class(td_7, 1, `n ${get(now)?.losing[i()] ? "warn" : get(now)?.lost[i()] ? "" : "faint"}`, "svelte-3umllc");
			set_text(text_12, $8);
			set_text(text_13, $9);
		}, [
			() => inWords(edge().when_full),
			() => count(get(now)?.offered[i()]),
			() => `${shareOf(get(now)?.delivered[i()], get(now)?.offered[i()]) ?? ""}%`,
			() => `${shareOf(get(now)?.left_out[i()], get(now)?.offered[i()]) ?? ""}%`,
			() => `${shareOf(get(now)?.lost[i()], get(now)?.offered[i()]) ?? ""}%`,
			() => count(get(now)?.delivered[i()]),
			() => count(get(now)?.queued[i()]),
			() => count(get(now)?.left_out[i()]),
			() => count(get(now)?.lost[i()]),
			() => span((get(now)?.waiting_p99_ms[i()] ?? 0) * 1e6)
		]);
		append($$anchor, tr);
	}, ($$anchor) => {
		var tr_1 = root_4();
		append($$anchor, tr_1);
	});
	var node_11 = sibling(node_7);
	each(node_11, 17, () => get(inNodes), ({ node, i, reasons }) => i, ($$anchor, $$item) => {
		let node = () => get($$item).node;
		let reasons = () => get($$item).reasons;
		var tr_2 = root_5();
		var th_1 = child(tr_2);
		var text_14 = only_child(th_1, true);
		var td_10 = sibling(th_1, 7);
		var text_15 = only_child(td_10, true);
		var td_11 = sibling(td_10);
		var text_16 = only_child(td_11, true);
		var td_12 = sibling(td_11);
		why(child(td_12), reasons);
		reset(td_12);
		next();
		reset(tr_2);
		template_effect(($0, $1, $2, $3) => {
			set_attribute(tr_2, "data-in-node", node().name);
			set_text(text_14, node().name);
			set_class(td_10, 1, `n ${$0 ?? ""}`, "svelte-3umllc");
			set_text(text_15, $1);
			set_class(td_11, 1, `n ${$2 ?? ""}`, "svelte-3umllc");
			set_text(text_16, $3);
		}, [
			() => of(reasons(), true) ? "asked" : "faint",
			() => count(of(reasons(), true)),
			() => reasons().some((row) => row[6]) ? "warn" : of(reasons(), false) ? "" : "faint",
			() => count(of(reasons(), false))
		]);
		append($$anchor, tr_2);
	});
	reset(tbody);
	var tfoot = sibling(tbody);
	var tr_3 = child(tfoot);
	var td_13 = sibling(child(tr_3), 3);
	var text_17 = only_child(td_13, true);
	var td_14 = sibling(td_13, 2);
	var text_18 = only_child(td_14, true);
	var td_15 = sibling(td_14);
	var text_19 = only_child(td_15, true);
	var td_16 = sibling(td_15);
	var text_20 = only_child(td_16, true);
	var td_17 = sibling(td_16);
	let classes_2;
	var text_21 = only_child(td_17, true);
	next(2);
	reset(tr_3);
	reset(tfoot);
	reset(table);
	reset(section_1);
	reset(div);
	template_effect(($0, $1, $2, $3, $4, $5) => {
		set_text(text_3, `${run.moment?.run.closed === false ? "open: some account does not balance" : "closed: every frame is accounted for"} ·
        live time ${$0 ?? ""}`);
		set_text(text_17, $1);
		set_text(text_18, $2);
		set_text(text_19, $3);
		set_text(text_20, $4);
		classes_2 = set_class(td_17, 1, "n svelte-3umllc", null, classes_2, { warn: run.moment?.loss.state === "losing" });
		set_text(text_21, $5);
	}, [
		() => run.moment ? share(run.moment.run.live, 3) : "–",
		() => count(get(total)?.offered),
		() => count(get(total)?.delivered),
		() => count(get(total)?.queued),
		() => count(get(total)?.intended),
		() => count(get(total)?.unintended)
	]);
	delegated("click", button, save);
	append($$anchor, div);
	pop();
}
delegate(["click"]);
export { Ledger as default };
