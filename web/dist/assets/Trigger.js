import { $ as readTable, $t as reset, At as from_html, Bt as user_effect, C as Feed, Ct as index, Dt as set_text, Ft as event, G as records, Gt as sibling, Ht as child, I as short, It as get, Jt as state, L as span, M as count, Mt as text, Nt as delegate, Ot as append, Pt as delegated, R as timeOfDay, St as each, Tt as if_block, Ut as first_child, Vt as $window, W as record, Wt as only_child, Xt as pop, Yt as user_derived, Zt as push, dt as set_attribute, gt as select_option, ht as init_select, it as onMount, j as bytes, k as place, kt as comment, qt as set, tn as to_array, tt as base, vt as set_class, wt as key, xt as snippet, yt as clsx, z as run, zt as template_effect } from "./page.js";
import { r as readable } from "./form.js";
import { n as joined, r as usual, t as Points } from "./Points.js";
// src/screens/trigger/links.ts
function linksOf(values) {
	const list = (name) => Array.isArray(values?.[name]) ? values[name] : [];
	const faults = new Map(String(values?.faults ?? "").split("; ").map((text) => {
		const [link = "", ...words] = text.split(": ");
		return [Number(link), words.join(": ")];
	}));
	const [good, absent, corrupt] = [
		list("good_percent"),
		list("absent_s"),
		list("corrupt_s")
	];
	return list("links").map((link, i) => ({
		link,
		good: good[i] ?? 0,
		absentS: absent[i] ?? 0,
		corruptS: corrupt[i] ?? 0,
		faults: faults.get(link) ?? ""
	}));
}
function missingInWords(missing, count) {
	const ticks = new Map();
	for (const { begin, end, why } of missing) ticks.set(why, (ticks.get(why) ?? 0) + end - begin);
	return [...ticks].map(([why, n]) => `${count(n)} ticks ${why.replaceAll("_", " ")}`).join(", ");
}
// src/screens/trigger/Links.svelte
var root$3 = from_html(`<tr class="why svelte-8vufp7"><td colspan="4" class="svelte-8vufp7"> </td></tr>`);
var root_1$3 = from_html(`<tr><th scope="row" class="svelte-8vufp7"> </th><td class="svelte-8vufp7"> </td><td> </td><td> </td></tr> <!>`, 1);
var root_2$3 = from_html(`<table class="svelte-8vufp7"><thead class="svelte-8vufp7"><tr><th scope="col" class="svelte-8vufp7">link</th><th scope="col" class="svelte-8vufp7">good</th><th scope="col" class="svelte-8vufp7">absent</th><th scope="col" class="svelte-8vufp7">corrupt</th></tr></thead><tbody></tbody></table>`);
var root_3$2 = from_html(`<p class="faint"> </p>`);
var root_4$2 = from_html(`<small class="svelte-8vufp7"> </small>`);
var root_5$2 = from_html(`<dt class="svelte-8vufp7"> </dt> <dd class="svelte-8vufp7"> <!></dd>`, 1);
var root_6$2 = from_html(`<h2 class="svelte-8vufp7">Records <span> </span></h2> <dl class="svelte-8vufp7"></dl>`, 1);
var root_7$2 = from_html(`<h2 class="svelte-8vufp7">Links <span> </span></h2> <!> <!>`, 1);
function Links($$anchor, $$props) {
	push($$props, true);
	const ofType = (type) => run.nodes.filter((node) => node.type === type).map((node) => node.name);
	const ledger = user_derived(() => ofType("link_ledger")[0] ?? "");
	const recorders = user_derived(() => ofType("trigger_records"));
	const links = user_derived(() => linksOf(run.values[get(ledger)]));
	const readbacks = (node) => (run.typeOf(node)?.params ?? []).filter((spec) => spec.readback && run.value(node, spec.name) !== void 0);
	user_effect(() => run.watch([...get(ledger) ? [get(ledger)] : [], ...get(recorders)]));
	var fragment = root_7$2();
	var h2 = first_child(fragment);
	var span_1 = sibling(child(h2));
	var text = only_child(span_1, true);
	reset(h2);
	var node_1 = sibling(h2, 2);
	var consequent_1 = ($$anchor) => {
		var table = root_2$3();
		var tbody = sibling(child(table));
		each(tbody, 21, () => get(links), ({ link, good, absentS, corruptS, faults }) => link, ($$anchor, $$item) => {
			let link = () => get($$item).link;
			let good = () => get($$item).good;
			let absentS = () => get($$item).absentS;
			let corruptS = () => get($$item).corruptS;
			let faults = () => get($$item).faults;
			var fragment_1 = root_1$3();
			var tr = first_child(fragment_1);
			let classes;
			var th = child(tr);
			var text_1 = only_child(th, true);
			var td = sibling(th);
			var text_2 = only_child(td);
			var td_1 = sibling(td);
			let classes_1;
			var text_3 = only_child(td_1, true);
			var td_2 = sibling(td_1);
			let classes_2;
			var text_4 = only_child(td_2, true);
			reset(tr);
			var node_2 = sibling(tr, 2);
			var consequent = ($$anchor) => {
				var tr_1 = root$3();
				var td_3 = child(tr_1);
				var text_5 = only_child(td_3, true);
				reset(tr_1);
				template_effect(() => set_text(text_5, faults()));
				append($$anchor, tr_1);
			};
			if_block(node_2, ($$render) => {
				if (faults()) $$render(consequent);
			});
			template_effect(($0, $1, $2) => {
				classes = set_class(tr, 1, "", null, classes, { bad: good() < 100 });
				set_text(text_1, link());
				set_text(text_2, `${$0 ?? ""} %`);
				classes_1 = set_class(td_1, 1, "svelte-8vufp7", null, classes_1, { warn: absentS() > 0 });
				set_text(text_3, $1);
				classes_2 = set_class(td_2, 1, "svelte-8vufp7", null, classes_2, { warn: corruptS() > 0 });
				set_text(text_4, $2);
			}, [
				() => short(good(), 5),
				() => span(absentS() * 1e9),
				() => span(corruptS() * 1e9)
			]);
			append($$anchor, fragment_1);
		});
		reset(tbody);
		reset(table);
		append($$anchor, table);
	};
	var alternate = ($$anchor) => {
		var p = root_3$2();
		var text_6 = only_child(p, true);
		template_effect(() => set_text(text_6, get(ledger) ? "No link has been reported so far." : "This run has no node link_ledger."));
		append($$anchor, p);
	};
	if_block(node_1, ($$render) => {
		if (get(links).length > 0) $$render(consequent_1);
		else $$render(alternate, -1);
	});
	var node_3 = sibling(node_1, 2);
	each(node_3, 16, () => get(recorders), (node) => node, ($$anchor, node) => {
		var fragment_2 = root_6$2();
		var h2_1 = first_child(fragment_2);
		var span_2 = sibling(child(h2_1));
		var text_7 = only_child(span_2, true);
		reset(h2_1);
		var dl = sibling(h2_1, 2);
		each(dl, 21, () => readbacks(node), (spec) => spec.name, ($$anchor, spec) => {
			var fragment_3 = root_5$2();
			var dt = first_child(fragment_3);
			var text_8 = only_child(dt, true);
			var dd = sibling(dt, 2);
			var text_9 = child(dd);
			var node_4 = sibling(text_9);
			var consequent_2 = ($$anchor) => {
				var small = root_4$2();
				var text_10 = only_child(small, true);
				template_effect(() => set_text(text_10, get(spec).unit));
				append($$anchor, small);
			};
			if_block(node_4, ($$render) => {
				if (get(spec).unit) $$render(consequent_2);
			});
			reset(dd);
			template_effect(($0, $1, $2) => {
				set_attribute(dt, "title", get(spec).doc);
				set_text(text_8, $0);
				set_attribute(dd, "title", $1);
				set_text(text_9, `${$2 ?? ""} `);
			}, [
				() => get(spec).name.replaceAll("_", " "),
				() => readable(run.value(node, get(spec).name)),
				() => readable(run.value(node, get(spec).name))
			]);
			append($$anchor, fragment_3);
		});
		reset(dl);
		template_effect(() => set_text(text_7, node));
		append($$anchor, fragment_2);
	});
	template_effect(() => set_text(text, get(ledger) ? `as ${get(ledger)} has them` : ""));
	append($$anchor, fragment);
	pop();
}
// src/screens/trigger/Step.svelte
var root$2 = from_html(`<span class="asked"> </span>`);
var root_1$2 = from_html(`<span data-testid="trigger">trigger <b> </b></span> <span class="dim"> </span> <span> </span> <!>`, 1);
var root_2$2 = from_html(`<div class="plane svelte-1wr18my"><h2 class="svelte-1wr18my"> <span> </span></h2> <!></div>`);
var root_3$1 = from_html(`<span class="alarm" role="alert"> </span>`);
var root_4$1 = from_html(`<p class="note svelte-1wr18my"><!></p>`);
var root_5$1 = from_html(`<li><b> </b> </li>`);
var root_6$1 = from_html(`<ul class="missing scroll svelte-1wr18my" aria-label="Missing from this record"></ul>`);
var root_7$1 = from_html(`<th scope="col" class="svelte-1wr18my"> </th>`);
var root_8$1 = from_html(`<tr><th scope="row" class="svelte-1wr18my"><button type="button" class="svelte-1wr18my"> </button></th><td class="svelte-1wr18my"> </td><td class="svelte-1wr18my"> </td><td class="svelte-1wr18my"> </td><td class="svelte-1wr18my"> </td><td class="svelte-1wr18my"> </td><td> </td></tr>`);
var root_9$1 = from_html(`<div class="step svelte-1wr18my"><section class="panel picture svelte-1wr18my" aria-label="Hits around the trigger"><header class="svelte-1wr18my"><!> <div class="seg svelte-1wr18my" role="group" aria-label="Step"><button type="button" title="Previous trigger (p)" class="svelte-1wr18my">‹ Previous</button> <button type="button" title="Next trigger (n)" class="svelte-1wr18my">Next ›</button> <button type="button" title="Always the latest trigger (e)" class="svelte-1wr18my">Latest</button></div> <!></header> <div class="planes svelte-1wr18my"></div> <!></section> <section class="panel list scroll svelte-1wr18my" aria-label="Triggers"><h2>Triggers <span> </span></h2> <table class="svelte-1wr18my"><thead class="svelte-1wr18my"><tr></tr></thead><tbody></tbody></table></section></div>`);
function Step($$anchor, $$props) {
	push($$props, true);
	const ASK_MS = 1e3;
	const AXES = {
		x: "start",
		y: "channel",
		colour: "sum"
	};
	let list = state([]);
	let shown = state(null);
	let problem = state("");
	const wished = user_derived(() => Number(place.get("record")) || 0);
	const number = user_derived(() => get(wished) || get(list).at(-1)?.number || 0);
	const at = user_derived(() => get(list).findIndex((entry) => entry.number === get(number)));
	const before = user_derived(() => get(list).filter((entry) => entry.number < get(number)).at(-1));
	const behind = user_derived(() => get(list).find((entry) => entry.number > get(number)));
	user_effect(() => {
		const output = $$props.from;
		let timer;
		let ended = false;
		const ask = async () => {
			if (!document.hidden && run.link === "open") try {
				const { records: records$1 } = await records(output);
				if (!ended) (($$value) => {
					var $$array = to_array($$value, 2);
					set(list, $$array[0]);
					set(problem, $$array[1], true);
				})([records$1, ""]);
			} catch (failure) {
				if (!ended) set(problem, failure.message, true);
			}
			if (!ended) timer = setTimeout(ask, ASK_MS);
		};
		ask();
		return () => {
			ended = true;
			clearTimeout(timer);
		};
	});
	user_effect(() => {
		const wanted = get(number);
		if (wanted === 0 || wanted === get(shown)?.number) return;
		record($$props.from, wanted).then((record) => wanted === get(number) && (($$value) => {
			var $$array_1 = to_array($$value, 2);
			set(shown, $$array_1[0]);
			set(problem, $$array_1[1], true);
			return $$value;
		})([record, ""]), (failure) => wanted === get(number) && set(problem, failure.message, true));
	});
	const planes = user_derived(() => {
		if (!get(shown)) return [];
		const { hits } = get(shown);
		return [...new Set(hits.plane)].sort().map((plane) => {
			const rows = hits.plane.flatMap((of, i) => of === plane ? [i] : []);
			const columns = new Map(Object.values({
				start: "start",
				channel: "channel",
				sum: "sum"
			}).map((name) => [name, Float64Array.from(rows, (i) => hits[name][i] ?? 0)]));
			return {
				plane,
				rows: rows.length,
				columns
			};
		});
	});
	const missing = user_derived(() => get(shown) ? [...get(shown).links.map((link) => ({
		name: `link ${link.link}`,
		text: missingInWords(link.missing, count)
	})), ...get(shown).streams.map((s) => ({
		name: s.link === null ? "merged hits" : `hits of link ${s.link}`,
		text: missingInWords(s.missing, count)
	}))].filter(({ text }) => text !== "") : []);
	const go = (to) => to && place.set({ record: String(to.number) });
	const latest = () => place.set({ record: "" });
	function key(event) {
		if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
		if (event.key === "p") go(get(before));
		else if (event.key === "n") go(get(behind));
		else if (event.key === "e") latest();
	}
	var div = root_9$1();
	event("keydown", $window, key);
	var section = child(div);
	var header = child(section);
	var node = child(header);
	snippet(node, () => $$props.title);
	var div_1 = sibling(node, 2);
	var button = child(div_1);
	var button_1 = sibling(button, 2);
	var button_2 = sibling(button_1, 2);
	reset(div_1);
	var node_1 = sibling(div_1, 2);
	var consequent_1 = ($$anchor) => {
		var fragment = root_1$2();
		var span = first_child(fragment);
		var b = sibling(child(span));
		var text_1 = only_child(b, true);
		reset(span);
		var span_1 = sibling(span, 2);
		var text_2 = only_child(span_1);
		var span_2 = sibling(span_1, 2);
		var text_3 = only_child(span_2, true);
		var node_2 = sibling(span_2, 2);
		var consequent = ($$anchor) => {
			var span_3 = root$2();
			var text_4 = only_child(span_3);
			template_effect(($0) => set_text(text_4, `${$0 ?? ""} hits not shown`), [() => count(get(shown).hits_left_out)]);
			append($$anchor, span_3);
		};
		if_block(node_2, ($$render) => {
			if (get(shown).hits_left_out > 0) $$render(consequent);
		});
		template_effect(($0, $1, $2, $3, $4) => {
			set_text(text_1, $0);
			set_text(text_2, `${$1 ?? ""} · kind ${$2 ?? ""} · ${$3 ?? ""} hits ·
          ${$4 ?? ""} ticks from ${get(shown).window_begin ?? ""}`);
			set_class(span_2, 1, clsx(get(shown).whole ? "dim" : "warn"));
			set_text(text_3, get(shown).whole ? "whole" : "incomplete");
		}, [
			() => count(get(shown).trigger),
			() => timeOfDay(get(shown).at_ns / 1e6),
			() => get(shown).kinds.join(", ") || "–",
			() => count(get(shown).hits.start.length),
			() => count(get(shown).window_ticks)
		]);
		append($$anchor, fragment);
	};
	if_block(node_1, ($$render) => {
		if (get(shown)) $$render(consequent_1);
	});
	reset(header);
	var div_2 = sibling(header, 2);
	each(div_2, 21, () => get(planes), ({ plane, rows, columns }) => plane, ($$anchor, $$item) => {
		let plane = () => get($$item).plane;
		let rows = () => get($$item).rows;
		let columns = () => get($$item).columns;
		var div_3 = root_2$2();
		var h2 = child(div_3);
		var text_5 = child(h2);
		var span_4 = sibling(text_5);
		var text_6 = only_child(span_4);
		reset(h2);
		var node_3 = sibling(h2, 2);
		{
			let $0 = user_derived(() => ({
				range: [0, Math.max(1, get(shown)?.window_ticks ?? 1)],
				...get(shown) ? { at: get(shown).candidate } : {}
			}));
			Points(node_3, {
				get columns() {
					return columns();
				},
				get axes() {
					return AXES;
				},
				get label() {
					return `Plane ${plane() ?? ""}: ${rows() ?? ""} hits, channel against time`;
				},
				get marks() {
					return get($0);
				}
			});
		}
		reset(div_3);
		template_effect(($0) => {
			set_text(text_5, `Plane ${plane() ?? ""} `);
			set_text(text_6, `channel against ticks from the begin of the window · ${$0 ?? ""} hits`);
		}, [() => count(rows())]);
		append($$anchor, div_3);
	}, ($$anchor) => {
		var p = root_4$1();
		var node_4 = child(p);
		var consequent_2 = ($$anchor) => {
			var span_5 = root_3$1();
			var text_7 = only_child(span_5, true);
			template_effect(() => set_text(text_7, get(problem)));
			append($$anchor, span_5);
		};
		var consequent_3 = ($$anchor) => {
			var text_8 = text("No hits in the window of this trigger.");
			append($$anchor, text_8);
		};
		var alternate = ($$anchor) => {
			var text_9 = text();
			template_effect(() => set_text(text_9, `Waiting for a trigger of ${$$props.from ?? ""} … Triggers from now on are kept, the last 64.`));
			append($$anchor, text_9);
		};
		if_block(node_4, ($$render) => {
			if (get(problem)) $$render(consequent_2);
			else if (get(shown)) $$render(consequent_3, 1);
			else $$render(alternate, -1);
		});
		reset(p);
		append($$anchor, p);
	});
	reset(div_2);
	var node_5 = sibling(div_2, 2);
	var consequent_4 = ($$anchor) => {
		var ul = root_6$1();
		each(ul, 21, () => get(missing), ({ name, text }) => name, ($$anchor, $$item) => {
			let name = () => get($$item).name;
			let text = () => get($$item).text;
			var li = root_5$1();
			var b_1 = child(li);
			var text_10 = only_child(b_1, true);
			var text_11 = sibling(b_1);
			reset(li);
			template_effect(() => {
				set_text(text_10, name());
				set_text(text_11, ` ${text() ?? ""}`);
			});
			append($$anchor, li);
		});
		reset(ul);
		append($$anchor, ul);
	};
	if_block(node_5, ($$render) => {
		if (get(missing).length > 0) $$render(consequent_4);
	});
	reset(section);
	var section_1 = sibling(section, 2);
	var h2_1 = child(section_1);
	var span_6 = sibling(child(h2_1));
	var text_12 = only_child(span_6, true);
	reset(h2_1);
	var table = sibling(h2_1, 2);
	var thead = child(table);
	var tr = child(thead);
	each(tr, 20, () => [
		"trigger",
		"at",
		"kinds",
		"hits",
		"raw data",
		"links",
		"record"
	], (name) => name, ($$anchor, name) => {
		var th = root_7$1();
		var text_13 = only_child(th, true);
		template_effect(() => set_text(text_13, name));
		append($$anchor, th);
	});
	reset(tr);
	reset(thead);
	var tbody = sibling(thead);
	each(tbody, 21, () => [...get(list)].reverse(), (entry) => entry.number, ($$anchor, entry) => {
		const s = user_derived(() => get(entry).summary);
		var tr_1 = root_8$1();
		let classes;
		var th_1 = child(tr_1);
		var button_3 = child(th_1);
		var text_14 = only_child(button_3, true);
		reset(th_1);
		var td = sibling(th_1);
		var text_15 = only_child(td, true);
		var td_1 = sibling(td);
		var text_16 = only_child(td_1, true);
		var td_2 = sibling(td_1);
		var text_17 = only_child(td_2, true);
		var td_3 = sibling(td_2);
		var text_18 = only_child(td_3, true);
		var td_4 = sibling(td_3);
		var text_19 = only_child(td_4, true);
		var td_5 = sibling(td_4);
		let classes_1;
		var text_20 = only_child(td_5, true);
		reset(tr_1);
		template_effect(($0, $1, $2, $3, $4) => {
			classes = set_class(tr_1, 1, "svelte-1wr18my", null, classes, { current: get(entry).number === get(number) });
			set_attribute(button_3, "aria-current", get(entry).number === get(number));
			set_text(text_14, $0);
			set_text(text_15, $1);
			set_text(text_16, $2);
			set_text(text_17, $3);
			set_text(text_18, $4);
			set_text(text_19, get(s).links);
			classes_1 = set_class(td_5, 1, "svelte-1wr18my", null, classes_1, { warn: !get(s).whole });
			set_text(text_20, get(s).whole ? "whole" : `${get(s).incomplete} incomplete`);
		}, [
			() => count(get(s).trigger),
			() => timeOfDay(get(entry).at_ns / 1e6),
			() => get(s).kinds.join(", "),
			() => count(get(s).hits),
			() => bytes(get(s).bytes)
		]);
		delegated("click", button_3, () => go(get(entry)));
		append($$anchor, tr_1);
	});
	reset(tbody);
	reset(table);
	reset(section_1);
	reset(div);
	template_effect(() => {
		button.disabled = !get(before);
		button_1.disabled = !get(behind);
		set_attribute(button_2, "aria-pressed", get(wished) === 0);
		set_text(text_12, get(at) >= 0 ? `${get(at) + 1} of ${get(list).length}` : `${get(list).length} kept`);
	});
	delegated("click", button, () => go(get(before)));
	delegated("click", button_1, () => go(get(behind)));
	delegated("click", button_2, latest);
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/screens/trigger/Stream.svelte
var root$1 = from_html(`<option> </option>`);
var root_1$1 = from_html(`<option>none</option>`);
var root_2$1 = from_html(`<label class="svelte-13yrvrw"> <select><!><!></select></label>`);
var root_3 = from_html(`<p class="note alarm svelte-13yrvrw" role="alert"> </p>`);
var root_4 = from_html(`<p class="note svelte-13yrvrw"> </p>`);
var root_5 = from_html(`<p class="note svelte-13yrvrw">The tables so far have no rows.</p>`);
var root_6 = from_html(`<th scope="col" class="svelte-13yrvrw"> </th>`);
var root_7 = from_html(`<td class="svelte-13yrvrw"> </td>`);
var root_8 = from_html(`<tr></tr>`);
var root_9 = from_html(`<p class="faint"> </p>`);
var root_10 = from_html(`<div class="stream svelte-13yrvrw"><section class="panel picture svelte-13yrvrw" aria-label="Points"><header class="svelte-13yrvrw"><!> <select aria-label="Table that is shown"></select> <div class="seg svelte-13yrvrw" role="group" aria-label="Live or held"><button type="button" class="svelte-13yrvrw">Live</button> <button type="button" class="svelte-13yrvrw">Hold</button></div> <!> <span class="faint"><!></span></header> <div class="room svelte-13yrvrw"><!> <!></div></section>  <section class="panel scroll" aria-label="Rows" tabindex="0"><table class="svelte-13yrvrw"><thead><tr></tr></thead><tbody></tbody></table> <!></section></div>`);
function Stream($$anchor, $$props) {
	push($$props, true);
	const MOST_ROWS = 65536;
	const KEPT_ROWS = 2e4;
	const LISTED = 100;
	const outputs = user_derived(() => run.nodes.flatMap((node) => node.outputs.filter((o) => o.kinds.includes("table")).map((o) => o.name)));
	const source = user_derived(() => place.get("table") || (get(outputs).find((name) => /hit|merged/i.test(name)) ?? get(outputs)[0] ?? ""));
	let table = state(null);
	let tables = state([]);
	let problem = state("");
	let hold = state(false);
	let feed = state(null);
	const names = user_derived(() => [...get(table)?.columns.keys() ?? []]);
	const shown = user_derived(() => {
		const guess = usual(get(names));
		const chosen = (key) => get(names).includes(place.get(key)) ? place.get(key) : guess[key];
		return {
			x: chosen("x"),
			y: chosen("y"),
			colour: chosen("colour")
		};
	});
	const rows = user_derived(() => get(table)?.header.height ?? 0);
	onMount(() => {
		const made = new Feed(base(), readTable, {
			frame: (next) => {
				if (!get(hold)) keep(next);
			},
			problem: (text) => set(problem, text, true)
		});
		set(feed, made);
		const seen = () => made.stop(document.hidden || get(hold));
		document.addEventListener("visibilitychange", seen);
		return () => {
			document.removeEventListener("visibilitychange", seen);
			made.want(null);
			made.stop(true);
		};
	});
	function keep(next) {
		set(table, next);
		let rows = 0;
		const newest = [...get(tables), next.columns].reverse();
		const enough = newest.findIndex((columns) => (rows += columns.values().next().value?.length ?? 0) > KEPT_ROWS);
		set(tables, newest.slice(0, enough < 0 ? newest.length : Math.max(1, enough)).reverse().slice(-2e3));
	}
	user_effect(() => {
		get(feed)?.stop(get(hold) || run.link === "ended");
		if (run.link === "ended") set(problem, "");
	});
	user_effect(() => {
		(($$value) => {
			var $$array = to_array($$value, 2);
			set(table, $$array[0]);
			set(tables, $$array[1]);
		})([null, []]);
		get(feed)?.want(get(source) ? {
			from: get(source),
			region: null,
			fit: [1, MOST_ROWS],
			reduce: "pick",
			as: "native"
		} : null);
	});
	const AXES = [
		["x", "Across"],
		["y", "Up"],
		["colour", "Colour"]
	];
	var div = root_10();
	var section = child(div);
	var header = child(section);
	var node_1 = child(header);
	snippet(node_1, () => $$props.title);
	var select = sibling(node_1, 2);
	each(select, 20, () => get(outputs), (output) => output, ($$anchor, output) => {
		var option = root$1();
		var text_1 = only_child(option, true);
		var option_value = {};
		template_effect(($0) => {
			set_text(text_1, $0);
			if (option_value !== (option_value = output)) option.value = (option.__value = option_value) ?? "";
		}, [() => output.replace(".", " ▸ ")]);
		append($$anchor, option);
	});
	reset(select);
	var select_value;
	init_select(select);
	var div_1 = sibling(select, 2);
	var button = child(div_1);
	var button_1 = sibling(button, 2);
	reset(div_1);
	var node_2 = sibling(div_1, 2);
	each(node_2, 17, () => AXES, ([key, title]) => key, ($$anchor, $$item, $$index_2, $$array_1) => {
		var $$array_2 = user_derived(() => to_array(get($$item), 2));
		let key = () => get($$array_2)[0];
		let title = () => get($$array_2)[1];
		var label = root_2$1();
		var text_2 = child(label);
		var select_1 = sibling(text_2);
		var node_3 = child(select_1);
		var consequent = ($$anchor) => {
			var option_1 = root_1$1();
			option_1.value = option_1.__value = "";
			append($$anchor, option_1);
		};
		if_block(node_3, ($$render) => {
			if (key() === "colour") $$render(consequent);
		});
		var node_4 = sibling(node_3);
		each(node_4, 16, () => get(names), (name) => name, ($$anchor, name) => {
			var option_2 = root$1();
			var text_3 = only_child(option_2, true);
			var option_2_value = {};
			template_effect(() => {
				set_text(text_3, name);
				if (option_2_value !== (option_2_value = name)) option_2.__value = option_2_value;
			});
			append($$anchor, option_2);
		});
		reset(select_1);
		var select_1_value;
		init_select(select_1);
		reset(label);
		template_effect(() => {
			set_text(text_2, `${title() ?? ""} `);
			if (select_1_value !== (select_1_value = get(shown)[key()])) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
		});
		delegated("change", select_1, (e) => place.set({ [key()]: e.currentTarget.value }));
		append($$anchor, label);
	});
	var span = sibling(node_2, 2);
	var node_5 = child(span);
	var consequent_1 = ($$anchor) => {
		var text_4 = text();
		template_effect(($0, $1) => set_text(text_4, `frame ${$0 ?? ""}, ${$1 ?? ""} rows${get(table).header.cut ? ", more were cut" : ""}`), [() => count(get(table).header.sequence), () => count(get(rows))]);
		append($$anchor, text_4);
	};
	if_block(node_5, ($$render) => {
		if (get(table)) $$render(consequent_1);
	});
	reset(span);
	reset(header);
	var div_2 = sibling(header, 2);
	var node_6 = child(div_2);
	{
		let $0 = user_derived(() => joined(get(tables)));
		Points(node_6, {
			get columns() {
				return get($0);
			},
			get axes() {
				return get(shown);
			},
			get label() {
				return `${get(shown).y ?? ""} against ${get(shown).x ?? ""}, ${get(rows) ?? ""} points`;
			}
		});
	}
	var node_7 = sibling(node_6, 2);
	var consequent_2 = ($$anchor) => {
		var p = root_3();
		var text_5 = only_child(p, true);
		template_effect(() => set_text(text_5, get(problem)));
		append($$anchor, p);
	};
	var consequent_3 = ($$anchor) => {
		var p_1 = root_4();
		var text_6 = only_child(p_1, true);
		template_effect(() => set_text(text_6, get(source) ? `Waiting for a table of ${get(source)} …` : "Nothing in this run sends tables."));
		append($$anchor, p_1);
	};
	var consequent_4 = ($$anchor) => {
		var p_2 = root_5();
		append($$anchor, p_2);
	};
	var d = user_derived(() => get(tables).every((columns) => !columns.values().next().value?.length));
	if_block(node_7, ($$render) => {
		if (get(problem)) $$render(consequent_2);
		else if (!get(table)) $$render(consequent_3, 1);
		else if (get(d)) $$render(consequent_4, 2);
	});
	reset(div_2);
	reset(section);
	var section_1 = sibling(section, 2);
	var table_1 = child(section_1);
	var thead = child(table_1);
	var tr = child(thead);
	each(tr, 20, () => get(names), (name) => name, ($$anchor, name) => {
		var th = root_6();
		var text_7 = only_child(th, true);
		template_effect(() => set_text(text_7, name));
		append($$anchor, th);
	});
	reset(tr);
	reset(thead);
	var tbody = sibling(thead);
	each(tbody, 21, () => ({ length: Math.min(get(rows), LISTED) }), index, ($$anchor, _, i) => {
		var tr_1 = root_8();
		each(tr_1, 20, () => get(names), (name) => name, ($$anchor, name) => {
			var td = root_7();
			var text_8 = only_child(td, true);
			template_effect(($0) => set_text(text_8, $0), [() => String(get(table)?.columns.get(name)?.[i] ?? "")]);
			append($$anchor, td);
		});
		reset(tr_1);
		append($$anchor, tr_1);
	});
	reset(tbody);
	reset(table_1);
	var node_8 = sibling(table_1, 2);
	var consequent_5 = ($$anchor) => {
		var p_3 = root_9();
		var text_9 = only_child(p_3);
		template_effect(($0) => set_text(text_9, `${$0 ?? ""} more rows`), [() => count(get(rows) - LISTED)]);
		append($$anchor, p_3);
	};
	if_block(node_8, ($$render) => {
		if (get(rows) > LISTED) $$render(consequent_5);
	});
	reset(section_1);
	reset(div);
	template_effect(() => {
		if (select_value !== (select_value = get(source))) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		set_attribute(button, "aria-pressed", !get(hold));
		set_attribute(button_1, "aria-pressed", get(hold));
	});
	delegated("change", select, (e) => place.set({
		table: e.currentTarget.value,
		x: "",
		y: "",
		colour: ""
	}));
	delegated("click", button, () => set(hold, false));
	delegated("click", button_1, () => set(hold, true));
	append($$anchor, div);
	pop();
}
delegate(["change", "click"]);
// src/screens/trigger/Trigger.svelte
var root = from_html(`<h1 class="svelte-192kikw">Trigger</h1> <div class="seg svelte-192kikw" role="group" aria-label="What is shown"><button type="button" class="svelte-192kikw">Tables</button> <button type="button" class="svelte-192kikw">Triggers</button></div>`, 1);
var root_1 = from_html(`<aside class="panel side scroll" aria-label="Links and records" tabindex="0"><!></aside>`);
var root_2 = from_html(`<div><!> <!></div>`);
function Trigger($$anchor, $$props) {
	push($$props, true);
	const title = ($$anchor) => {
		var fragment = root();
		var div = sibling(first_child(fragment), 2);
		var button = child(div);
		var button_1 = sibling(button, 2);
		reset(div);
		template_effect(() => {
			set_attribute(button, "aria-pressed", !get(steps));
			set_attribute(button_1, "aria-pressed", get(steps));
			button_1.disabled = get(from) === "";
			set_attribute(button_1, "title", get(from) ? `Trigger records of ${get(from)}` : "No node readout_buffer gives trigger records in this run");
		});
		delegated("click", button, () => place.set({ by: "" }));
		delegated("click", button_1, () => place.set({ by: "trigger" }));
		append($$anchor, fragment);
	};
	const RECORDED = "readout_buffer";
	const from = user_derived(() => run.nodes.find((node) => node.type === RECORDED)?.outputs[0]?.name ?? "");
	const steps = user_derived(() => get(from) !== "" && place.get("by") === "trigger");
	const hasLinks = user_derived(() => run.nodes.some((node) => node.type === "link_ledger" || node.type === "trigger_records"));
	var div_1 = root_2();
	let classes;
	var node_1 = child(div_1);
	var consequent = ($$anchor) => {
		var fragment_1 = comment();
		var node_2 = first_child(fragment_1);
		key(node_2, () => get(from), ($$anchor) => {
			Step($$anchor, {
				get title() {
					return title;
				},
				get from() {
					return get(from);
				}
			});
		});
		append($$anchor, fragment_1);
	};
	var alternate = ($$anchor) => {
		Stream($$anchor, { get title() {
			return title;
		} });
	};
	if_block(node_1, ($$render) => {
		if (get(steps)) $$render(consequent);
		else $$render(alternate, -1);
	});
	var node_3 = sibling(node_1, 2);
	var consequent_1 = ($$anchor) => {
		var aside = root_1();
		Links(child(aside), {});
		reset(aside);
		append($$anchor, aside);
	};
	if_block(node_3, ($$render) => {
		if (get(hasLinks)) $$render(consequent_1);
	});
	reset(div_1);
	template_effect(() => classes = set_class(div_1, 1, "trigger svelte-192kikw", null, classes, { links: get(hasLinks) }));
	append($$anchor, div_1);
	pop();
}
delegate(["click"]);
export { Trigger as default };
