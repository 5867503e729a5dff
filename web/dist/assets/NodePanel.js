const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./InputForm.js","./page.js","./page.css","./InputForm.css"])))=>i.map(i=>d[i]);
import { $t as reset, At as from_html, Bt as user_effect, Dt as set_text, Et as await_block, Ft as event, Gt as sibling, H as command, Ht as child, It as get, Jt as state, Kt as proxy, L as span, M as count, Nt as delegate, Ot as append, P as rate, Pt as delegated, Qt as next, S as drafts, St as each, T as Name, Tt as if_block, Ut as first_child, Wt as only_child, Xt as pop, Yt as user_derived, Zt as push, a as __vitePreload, bt as component, dt as set_attribute, kt as comment, nt as WINDOWS, qt as set, tn as to_array, vt as set_class, wt as key, yt as clsx, z as run, zt as template_effect } from "./page.js";
import { a as same, i as rowsOf, o as wanted, r as readable } from "./form.js";
import { n as Field, t as InFile } from "./InFile.js";
// src/parts/Form.svelte
var root$2 = from_html(`<small class="unit svelte-1rsxdae"> </small>`);
var root_1$2 = from_html(` <!> in the file`, 1);
var root_2$2 = from_html(`<small class="in-file svelte-1rsxdae"></small>`);
var root_3$2 = from_html(`<div><span class="title svelte-1rsxdae"> <!></span> <div class="fields svelte-1rsxdae"></div> <small> </small> <!></div>`);
var root_4$1 = from_html(`<p class="faint"> </p>`);
var root_5$1 = from_html(`<span class="alarm" role="alert"> </span>`);
var root_6$1 = from_html(`<div class="apply svelte-1rsxdae"><button class="btn primary" type="button"> </button> <button class="btn" type="button">Revert</button> <!></div>`);
var root_7$1 = from_html(`<form class="svelte-1rsxdae"><!> <!></form>`);
function Form($$anchor, $$props) {
	push($$props, true);
	let wrong = state(proxy({}));
	const specs = user_derived(() => (run.typeOf($$props.node)?.params ?? []).filter((spec) => !spec.readback));
	const rows = user_derived(() => rowsOf(get(specs).filter((spec) => run.value($$props.node, spec.name) !== void 0)));
	const changes = user_derived(() => drafts.count($$props.node));
	const refusal = user_derived(() => drafts.refusal($$props.node));
	function hint(all) {
		const problem = all.map((spec) => get(wrong)[spec.name]).find(Boolean);
		if (problem) return {
			text: problem,
			tone: "alarm"
		};
		if (get(refusal) && all.some((spec) => spec.name === get(refusal).param)) return {
			text: get(refusal).message,
			tone: "alarm"
		};
		const changed = all.filter((spec) => drafts.of($$props.node)[spec.name] !== void 0);
		if (changed.length === 0) return null;
		return {
			text: `was ${changed.map((spec) => readable(run.value($$props.node, spec.name))).join(", ")} · acts from the next frame`,
			tone: "accent"
		};
	}
	const differs = (spec) => run.node($$props.node) !== void 0 && !same(run.value($$props.node, spec.name), run.inFile($$props.node, spec.name));
	const markOf = (spec, all) => all.length > 1 ? spec.name.slice(-1) : "";
	var form = root_7$1();
	var node_1 = child(form);
	each(node_1, 17, () => get(rows), ({ title, specs: all }) => title, ($$anchor, $$item) => {
		let title = () => get($$item).title;
		let all = () => get($$item).specs;
		const said = user_derived(() => hint(all()));
		var div = root_3$2();
		let classes;
		var span = child(div);
		var text_1 = child(span, true);
		var node_2 = sibling(text_1);
		var consequent = ($$anchor) => {
			var small = root$2();
			var text_2 = only_child(small, true);
			template_effect(() => set_text(text_2, all()[0].unit));
			append($$anchor, small);
		};
		if_block(node_2, ($$render) => {
			if (all().length > 1 && all()[0].unit) $$render(consequent);
		});
		reset(span);
		var div_1 = sibling(span, 2);
		each(div_1, 21, all, (spec) => spec.name, ($$anchor, spec) => {
			{
				let $0 = user_derived(() => markOf(get(spec), all()));
				Field($$anchor, {
					get node() {
						return $$props.node;
					},
					get spec() {
						return get(spec);
					},
					get mark() {
						return get($0);
					},
					get describedBy() {
						return `hint-${$$props.node ?? ""}-${title() ?? ""}`;
					},
					problem: (text) => set(wrong, {
						...get(wrong),
						[get(spec).name]: text
					}, true)
				});
			}
		});
		reset(div_1);
		var small_1 = sibling(div_1, 2);
		var text_3 = only_child(small_1, true);
		var node_3 = sibling(small_1, 2);
		var consequent_1 = ($$anchor) => {
			var small_2 = root_2$2();
			each(small_2, 21, () => all().filter(differs), (spec) => spec.name, ($$anchor, spec) => {
				next();
				var fragment_1 = root_1$2();
				var text_4 = first_child(fragment_1, true);
				var node_4 = sibling(text_4);
				InFile(node_4, {
					get node() {
						return $$props.node;
					},
					get param() {
						return get(spec).name;
					}
				});
				next();
				template_effect(($0) => set_text(text_4, $0), [() => all().length > 1 ? `${get(spec).name.slice(-1)} ` : ""]);
				append($$anchor, fragment_1);
			});
			reset(small_2);
			append($$anchor, small_2);
		};
		var d = user_derived(() => all().some(differs));
		if_block(node_3, ($$render) => {
			if (get(d)) $$render(consequent_1);
		});
		reset(div);
		template_effect(($0, $1) => {
			classes = set_class(div, 1, "row svelte-1rsxdae", null, classes, { many: all().length > 2 && all()[0].type !== "bool" });
			set_attribute(span, "title", $0);
			set_text(text_1, title());
			set_class(small_1, 1, clsx(get(said)?.tone ?? "quiet-hint"), "svelte-1rsxdae");
			set_attribute(small_1, "id", `hint-${$$props.node ?? ""}-${title() ?? ""}`);
			set_attribute(small_1, "role", get(said)?.tone === "alarm" ? "alert" : void 0);
			set_text(text_3, $1);
		}, [() => all().map((spec) => spec.doc).join("\n"), () => get(said)?.text ?? [all()[0].doc, wanted(all()[0])].filter(Boolean).join(" · ")]);
		append($$anchor, div);
	}, ($$anchor) => {
		var p = root_4$1();
		var text_5 = only_child(p, true);
		template_effect(() => set_text(text_5, run.values[$$props.node] ? "This node has no parameters." : "Waiting for its values …"));
		append($$anchor, p);
	});
	var node_5 = sibling(node_1, 2);
	var consequent_3 = ($$anchor) => {
		var div_2 = root_6$1();
		var button = child(div_2);
		var text_6 = only_child(button);
		var button_1 = sibling(button, 2);
		var node_6 = sibling(button_1, 2);
		var consequent_2 = ($$anchor) => {
			var span_1 = root_5$1();
			var text_7 = only_child(span_1, true);
			template_effect(() => set_text(text_7, get(refusal).message));
			append($$anchor, span_1);
		};
		if_block(node_6, ($$render) => {
			if (get(refusal) && !get(refusal).param) $$render(consequent_2);
		});
		reset(div_2);
		template_effect(($0) => {
			button.disabled = $0;
			set_text(text_6, `Apply ${get(changes) ?? ""} ${get(changes) === 1 ? "change" : "changes"}`);
		}, [() => !run.mayWrite || drafts.isApplying($$props.node)]);
		delegated("click", button, () => drafts.apply($$props.node));
		delegated("click", button_1, () => drafts.revert($$props.node));
		append($$anchor, div_2);
	};
	if_block(node_5, ($$render) => {
		if (get(changes) > 0) $$render(consequent_3);
	});
	reset(form);
	template_effect(() => set_attribute(form, "aria-label", `Parameters of ${$$props.node ?? ""}`));
	event("submit", form, (event) => event.preventDefault());
	append($$anchor, form);
	pop();
}
delegate(["click"]);
// src/parts/Times.svelte
var root$1 = from_html(`<th scope="col" class="svelte-fqpr42"> </th>`);
var root_1$1 = from_html(`<td class="svelte-fqpr42"> </td>`);
var root_2$1 = from_html(`<tr><th scope="row" class="svelte-fqpr42"> </th><!></tr>`);
var root_3$1 = from_html(`<table class="svelte-fqpr42"><thead class="svelte-fqpr42"><tr><th scope="col" title="99 of 100 frames were not slower" class="svelte-fqpr42">p99</th><!></tr></thead><tbody></tbody></table>`);
function Times($$anchor, $$props) {
	push($$props, true);
	const TITLES = {
		"1s": "last 1 s",
		"10s": "last 10 s",
		"60s": "last 60 s",
		run: "whole run"
	};
	const rows = user_derived(() => $$props.source ? ["service"] : [
		"service",
		"waiting",
		"latency"
	]);
	const shown = (ms) => span(ms === null || ms === void 0 ? null : ms * 1e6);
	var table = root_3$1();
	var thead = child(table);
	var tr = child(thead);
	var node = sibling(child(tr));
	each(node, 16, () => WINDOWS, (window) => window, ($$anchor, window) => {
		var th = root$1();
		var text = only_child(th, true);
		template_effect(() => set_text(text, TITLES[window]));
		append($$anchor, th);
	});
	reset(tr);
	reset(thead);
	var tbody = sibling(thead);
	each(tbody, 20, () => get(rows), (row) => row, ($$anchor, row) => {
		const times = user_derived(() => run.times?.[row]);
		var tr_1 = root_2$1();
		var th_1 = child(tr_1);
		var text_1 = only_child(th_1, true);
		var node_1 = sibling(th_1);
		each(node_1, 16, () => WINDOWS, (window) => window, ($$anchor, window) => {
			var td = root_1$1();
			var text_2 = only_child(td, true);
			template_effect(($0, $1) => {
				set_attribute(td, "title", `median of the ${TITLES[window] ?? ""}: ${$0 ?? ""}`);
				set_attribute(td, "data-window", window);
				set_text(text_2, $1);
			}, [() => shown(get(times)?.p50_ms[window][$$props.index]), () => shown(get(times)?.p99_ms[window][$$props.index])]);
			append($$anchor, td);
		});
		reset(tr_1);
		template_effect(() => set_text(text_1, row));
		append($$anchor, tr_1);
	});
	reset(tbody);
	reset(table);
	append($$anchor, table);
	pop();
}
// src/parts/NodePanel.svelte
var root = from_html(`<button type="button" role="tab" aria-controls="about-node" class="svelte-qs8thq"> </button>`);
var root_1 = from_html(`<button type="button" class="btn turn svelte-qs8thq"> </button>`);
var root_2 = from_html(`<p class="alarm" role="alert"> </p>`);
var root_3 = from_html(`<p role="alert"> </p>`);
var root_4 = from_html(`<small class="svelte-qs8thq"> </small>`);
var root_5 = from_html(`<dt class="svelte-qs8thq"> </dt> <dd class="svelte-qs8thq"> <!></dd>`, 1);
var root_6 = from_html(`<!> <h2 class="svelte-qs8thq">Now <span> </span></h2> <!> <dl class="svelte-qs8thq"><dt class="svelte-qs8thq">Frames</dt><dd class="svelte-qs8thq"> <small class="svelte-qs8thq"> </small></dd> <!></dl>`, 1);
var root_7 = from_html(`<br/><code class="svelte-qs8thq"> </code>`, 1);
var root_8 = from_html(`<br/><b> </b> `, 1);
var root_9 = from_html(`<dt class="svelte-qs8thq"> <small class="svelte-qs8thq"> </small></dt> <dd class="svelte-qs8thq"> <!> <!></dd>`, 1);
var root_10 = from_html(`<dl class="reference svelte-qs8thq"></dl>`);
var root_11 = from_html(`<header class="svelte-qs8thq"><b class="svelte-qs8thq"><!></b><span class="dim"> </span> <span class="faint from svelte-qs8thq"> </span> <span class="dim"> </span></header> <p class="summary dim svelte-qs8thq"> </p> <div class="tabs svelte-qs8thq"><div role="tablist" tabindex="-1" class="svelte-qs8thq"></div> <!></div> <!> <!> <div class="body scroll svelte-qs8thq" id="about-node" role="tabpanel" tabindex="-1"><!></div>`, 1);
var root_12 = from_html(`<p class="dim">Choose a node in the pipeline.</p>`);
function NodePanel($$anchor, $$props) {
	push($$props, true);
	const TABS = [
		"Parameters",
		"Input",
		"Reference"
	];
	let tab = state("Parameters");
	let failed = state("");
	const node = user_derived(() => run.node($$props.node));
	const type = user_derived(() => run.typeOf($$props.node));
	const index = user_derived(() => run.byName.get($$props.node) ?? -1);
	const now = user_derived(() => run.moment?.nodes);
	const alarms = user_derived(() => (run.moment?.alarms ?? []).filter((alarm) => alarm[0] === get(index)));
	const bits = user_derived(() => get(now)?.state[get(index)] ?? 0);
	const enabled = user_derived(() => (get(bits) & 1) !== 0);
	const readbacks = user_derived(() => (get(type)?.params ?? []).filter((spec) => spec.readback && run.value($$props.node, spec.name) !== void 0));
	user_effect(() => run.watch([$$props.node]));
	user_effect(() => {
		$$props.node;
		set(failed, "");
	});
	async function turn() {
		try {
			run.learn(await command($$props.node, get(enabled) ? "disable" : "enable"));
			set(failed, "");
		} catch (problem) {
			set(failed, problem.message, true);
		}
	}
	function keys(event) {
		const by = {
			ArrowRight: 1,
			ArrowLeft: -1
		}[event.key];
		if (by === void 0) return;
		set(tab, TABS[(TABS.indexOf(get(tab)) + by + TABS.length) % TABS.length], true);
		document.getElementById(`tab-${get(tab)}`)?.focus();
	}
	var fragment = comment();
	var node_1 = first_child(fragment);
	var consequent_6 = ($$anchor) => {
		var fragment_1 = root_11();
		var header = first_child(fragment_1);
		var b = child(header);
		var node_2 = child(b);
		Name(node_2, { get name() {
			return $$props.node;
		} });
		reset(b);
		var span = sibling(b);
		var text = only_child(span, true);
		var span_1 = sibling(span, 2);
		var text_1 = only_child(span_1, true);
		var span_2 = sibling(span_1, 2);
		var text_2 = only_child(span_2, true);
		reset(header);
		var p = sibling(header, 2);
		var text_3 = only_child(p, true);
		var div = sibling(p, 2);
		var div_1 = child(div);
		each(div_1, 20, () => TABS, (title) => title, ($$anchor, title) => {
			var button = root();
			var text_4 = only_child(button, true);
			template_effect(() => {
				set_attribute(button, "id", `tab-${title ?? ""}`);
				set_attribute(button, "aria-selected", get(tab) === title);
				set_attribute(button, "tabindex", get(tab) === title ? 0 : -1);
				set_text(text_4, title);
			});
			delegated("click", button, () => set(tab, title, true));
			append($$anchor, button);
		});
		reset(div_1);
		var node_3 = sibling(div_1, 2);
		var consequent = ($$anchor) => {
			var button_1 = root_1();
			var text_5 = only_child(button_1, true);
			template_effect(() => {
				button_1.disabled = !run.mayWrite;
				set_text(text_5, get(enabled) ? "Turn off" : "Turn on");
			});
			delegated("click", button_1, turn);
			append($$anchor, button_1);
		};
		if_block(node_3, ($$render) => {
			if (!(get(bits) & 16)) $$render(consequent);
		});
		reset(div);
		var node_4 = sibling(div, 2);
		var consequent_1 = ($$anchor) => {
			var p_1 = root_2();
			var text_6 = only_child(p_1, true);
			template_effect(() => set_text(text_6, get(failed)));
			append($$anchor, p_1);
		};
		if_block(node_4, ($$render) => {
			if (get(failed)) $$render(consequent_1);
		});
		var node_5 = sibling(node_4, 2);
		each(node_5, 17, () => get(alarms), ([, what, bound, at, severity]) => what, ($$anchor, $$item) => {
			var $$array = user_derived(() => to_array(get($$item), 5));
			let what = () => get($$array)[1];
			let bound = () => get($$array)[2];
			let at = () => get($$array)[3];
			let severity = () => get($$array)[4];
			var p_2 = root_3();
			var text_7 = only_child(p_2);
			template_effect(($0) => {
				set_class(p_2, 1, clsx(severity() === "MINOR" ? "warn" : "alarm"));
				set_text(text_7, `${$0 ?? ""} is beyond ${bound() ?? ""} at ${at() ?? ""}: ${severity() ?? ""}`);
			}, [() => what().replaceAll("_", " ")]);
			append($$anchor, p_2);
		});
		var div_2 = sibling(node_5, 2);
		var node_6 = child(div_2);
		var consequent_3 = ($$anchor) => {
			var fragment_2 = root_6();
			var node_7 = first_child(fragment_2);
			key(node_7, () => $$props.node, ($$anchor) => {
				Form($$anchor, { get node() {
					return $$props.node;
				} });
			});
			var h2 = sibling(node_7, 2);
			var span_3 = sibling(child(h2));
			var text_8 = only_child(span_3);
			reset(h2);
			var node_8 = sibling(h2, 2);
			{
				let $0 = user_derived(() => (get(bits) & 16) !== 0);
				Times(node_8, {
					get index() {
						return get(index);
					},
					get source() {
						return get($0);
					}
				});
			}
			var dl = sibling(node_8, 2);
			var dd = sibling(child(dl));
			var text_9 = child(dd);
			var small = sibling(text_9);
			var text_10 = only_child(small);
			reset(dd);
			var node_9 = sibling(dd, 2);
			each(node_9, 17, () => get(readbacks), (spec) => spec.name, ($$anchor, spec) => {
				var fragment_4 = root_5();
				var dt = first_child(fragment_4);
				var text_11 = only_child(dt, true);
				var dd_1 = sibling(dt, 2);
				var text_12 = child(dd_1);
				var node_10 = sibling(text_12);
				var consequent_2 = ($$anchor) => {
					var small_1 = root_4();
					var text_13 = only_child(small_1, true);
					template_effect(() => set_text(text_13, get(spec).unit));
					append($$anchor, small_1);
				};
				if_block(node_10, ($$render) => {
					if (get(spec).unit) $$render(consequent_2);
				});
				reset(dd_1);
				template_effect(($0, $1, $2) => {
					set_attribute(dt, "title", get(spec).doc);
					set_text(text_11, $0);
					set_attribute(dd_1, "title", $1);
					set_text(text_12, `${$2 ?? ""} `);
				}, [
					() => get(spec).name.replaceAll("_", " "),
					() => readable(run.value($$props.node, get(spec).name)),
					() => readable(run.value($$props.node, get(spec).name))
				]);
				append($$anchor, fragment_4);
			});
			reset(dl);
			template_effect(($0, $1) => {
				set_text(text_8, `values that ${$$props.node ?? ""} gives`);
				set_text(text_9, `${$0 ?? ""} `);
				set_text(text_10, `at ${$1 ?? ""} Hz`);
			}, [() => count(get(now)?.frames[get(index)]), () => rate(get(now)?.hz[get(index)])]);
			append($$anchor, fragment_2);
		};
		var consequent_4 = ($$anchor) => {
			var fragment_5 = comment();
			var node_11 = first_child(fragment_5);
			await_block(node_11, () => __vitePreload(() => import("./InputForm.js"), __vite__mapDeps([0,1,2,3]), import.meta.url), null, ($$anchor, $$source) => {
				var $$value = user_derived(() => {
					var { default: InputForm } = get($$source);
					return { InputForm };
				});
				var InputForm = user_derived(() => get($$value).InputForm);
				var fragment_6 = comment();
				var node_12 = first_child(fragment_6);
				key(node_12, () => $$props.node, ($$anchor) => {
					var fragment_7 = comment();
					var node_13 = first_child(fragment_7);
					component(node_13, () => get(InputForm), ($$anchor, InputForm_1) => {
						InputForm_1($$anchor, { get node() {
							return $$props.node;
						} });
					});
					append($$anchor, fragment_7);
				});
				append($$anchor, fragment_6);
			});
			append($$anchor, fragment_5);
		};
		var alternate = ($$anchor) => {
			var dl_1 = root_10();
			each(dl_1, 21, () => get(type).params, (spec) => spec.name, ($$anchor, spec) => {
				var fragment_8 = root_9();
				var dt_1 = first_child(fragment_8);
				var text_14 = child(dt_1);
				var small_2 = sibling(text_14);
				var text_15 = only_child(small_2, true);
				reset(dt_1);
				var dd_2 = sibling(dt_1, 2);
				var text_16 = child(dd_2, true);
				var node_14 = sibling(text_16);
				var consequent_5 = ($$anchor) => {
					var fragment_9 = root_7();
					var code = sibling(first_child(fragment_9));
					var text_17 = only_child(code);
					template_effect(() => set_text(text_17, `${run.run?.pv_prefix ?? "" ?? ""}…:${get(spec).pv ?? ""}`));
					append($$anchor, fragment_9);
				};
				if_block(node_14, ($$render) => {
					if (get(spec).pv) $$render(consequent_5);
				});
				var node_15 = sibling(node_14, 2);
				each(node_15, 17, () => get(spec).choices ?? [], (choice) => choice.name, ($$anchor, choice) => {
					var fragment_10 = root_8();
					var b_1 = sibling(first_child(fragment_10));
					var text_18 = only_child(b_1, true);
					var text_19 = sibling(b_1);
					template_effect(() => {
						set_text(text_18, get(choice).name);
						set_text(text_19, ` ${get(choice).doc ?? ""}`);
					});
					append($$anchor, fragment_10);
				});
				reset(dd_2);
				template_effect(() => {
					set_text(text_14, `${get(spec).name ?? ""} `);
					set_text(text_15, get(spec).readback ? "readback" : get(spec).type);
					set_text(text_16, get(spec).doc);
				});
				append($$anchor, fragment_8);
			});
			reset(dl_1);
			append($$anchor, dl_1);
		};
		if_block(node_6, ($$render) => {
			if (get(tab) === "Parameters") $$render(consequent_3);
			else if (get(tab) === "Input") $$render(consequent_4, 1);
			else $$render(alternate, -1);
		});
		reset(div_2);
		template_effect(($0) => {
			set_text(text, get(node).type);
			set_text(text_1, $0);
			set_text(text_2, get(node).placement);
			set_text(text_3, get(type).summary);
			set_attribute(div_1, "aria-label", `About ${$$props.node ?? ""}`);
			set_attribute(div_2, "aria-labelledby", `tab-${get(tab) ?? ""}`);
		}, [() => run.inputOf($$props.node) ? `from ${run.inputOf($$props.node)}` : ""]);
		delegated("keydown", div_1, keys);
		append($$anchor, fragment_1);
	};
	var alternate_1 = ($$anchor) => {
		var p_3 = root_12();
		append($$anchor, p_3);
	};
	if_block(node_1, ($$render) => {
		if (get(node) && get(type)) $$render(consequent_6);
		else $$render(alternate_1, -1);
	});
	append($$anchor, fragment);
	pop();
}
delegate(["keydown", "click"]);
export { NodePanel as t };
