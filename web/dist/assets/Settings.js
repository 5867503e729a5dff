import { $t as reset, At as from_html, Bt as user_effect, Ct as index, Dt as set_text, Gt as sibling, Ht as child, It as get, Jt as state, M as count, Mt as text, Nt as delegate, Ot as append, Pt as delegated, Qt as next, S as drafts, St as each, Tt as if_block, U as pipeline, Ut as first_child, V as changeSettings, Wt as only_child, Xt as pop, Yt as user_derived, Z as settings, Zt as push, ct as bind_checked, dt as set_attribute, ft as set_checked, h as saveFile, k as place, kt as comment, pt as set_value, qt as set, tn as to_array, ut as remove_input_defaults, vt as set_class, z as run, zt as template_effect } from "./page.js";
import { n as Field, t as InFile } from "./InFile.js";
import { a as same, o as wanted, t as editable } from "./form.js";
// src/screens/settings/changes.ts
function asArguments(changed) {
	return changed.flatMap(({ node, params }) => params.map(({ param, now }) => `--set ${quoted(`${node}.${param}=${plain(now)}`)}`)).join(" ");
}
var plain = (value) => Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
var quoted = (text) => /^[\w.=+:/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
// src/screens/settings/lines.ts
var MOST_CELLS = 4e6;
function compared(before, after) {
	const [a, b] = [linesOf(before), linesOf(after)];
	let [start, end] = [0, 0];
	while (start < a.length && start < b.length && a[start] === b[start]) start++;
	while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
	const same = (text) => ({
		mark: " ",
		text
	});
	const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
	return [
		...a.slice(0, start).map(same),
		...middle,
		...a.slice(a.length - end).map(same)
	];
}
var linesOf = (text) => text === "" ? [] : text.replace(/\n$/, "").split("\n");
function between(a, b) {
	const gone = (text) => ({
		mark: "-",
		text
	});
	const fresh = (text) => ({
		mark: "+",
		text
	});
	if (a.length * b.length > MOST_CELLS) return [...a.map(gone), ...b.map(fresh)];
	const width = b.length + 1;
	const longest = new Uint32Array((a.length + 1) * width);
	for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) longest[i * width + j] = a[i] === b[j] ? longest[(i + 1) * width + j + 1] + 1 : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
	const lines = [];
	let [i, j] = [0, 0];
	while (i < a.length || j < b.length) if (i < a.length && j < b.length && a[i] === b[j]) {
		lines.push({
			mark: " ",
			text: a[i++]
		});
		j++;
	} else if (j >= b.length || i < a.length && longest[(i + 1) * width + j] >= longest[i * width + j + 1]) lines.push(gone(a[i++]));
	else lines.push(fresh(b[j++]));
	return lines;
}
// src/screens/settings/File.svelte
var root$2 = from_html(`<p class="alarm" role="alert"> </p>`);
var root_1$2 = from_html(`<p class="warn" role="alert"> </p>`);
var root_2$2 = from_html(`<p class="warn"> </p>`);
var root_3$2 = from_html(`<tr><td class="mark svelte-639419"> </td><td class="svelte-639419"><code class="svelte-639419"> </code></td></tr>`);
var root_4$2 = from_html(`<p class="faint none svelte-639419">Nothing differs from the file.</p>`);
var root_5$1 = from_html(`<div class="text scroll svelte-639419" tabindex="0" role="region" aria-label="Pipeline file as the run now stands"><table class="svelte-639419"><caption class="quiet">Lines that differ are marked with plus (now) and minus (in the file).</caption><tbody></tbody></table> <!></div>`);
var root_6$1 = from_html(`<p class="dim">Asking the server …</p>`);
var root_7$1 = from_html(`<div class="file svelte-639419"><div class="bar svelte-639419"><label class="svelte-639419"><input type="checkbox"/> only what differs</label> <span class="faint" data-testid="differences"><!></span> <span class="space svelte-639419"></span> <button class="btn primary" type="button">Download</button></div> <!> <!> <!> <!></div>`);
function File($$anchor, $$props) {
	push($$props, true);
	const ASK_MS = 2e3;
	let saved = state(null);
	let problem = state("");
	let onlyChanges = state(false);
	const lines = user_derived(() => get(saved) ? compared(get(saved).file, get(saved).now) : []);
	const changed = user_derived(() => get(lines).filter(({ mark }) => mark !== " ").length);
	const near = user_derived(() => {
		const shown = get(lines).map(() => !get(onlyChanges));
		get(lines).forEach(({ mark }, i) => {
			if (mark !== " ") for (let k = Math.max(0, i - 3); k <= Math.min(get(lines).length - 1, i + 3); k++) shown[k] = true;
		});
		return shown;
	});
	user_effect(() => {
		let timer;
		let ended = false;
		const ask = async () => {
			if (!document.hidden && run.link === "open") try {
				const answer = await pipeline();
				if (!ended) (($$value) => {
					var $$array = to_array($$value, 2);
					set(saved, $$array[0]);
					set(problem, $$array[1], true);
				})([answer, ""]);
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
	function download() {
		if (!get(saved)) return;
		saveFile(new Blob([get(saved).now], { type: "application/yaml" }), get(saved).name.replace(/^.*[/ ]/, "") || "pipeline.yaml");
	}
	var div = root_7$1();
	var div_1 = child(div);
	var label = child(div_1);
	var input = child(label);
	remove_input_defaults(input);
	next();
	reset(label);
	var span = sibling(label, 2);
	var node = child(span);
	var consequent = ($$anchor) => {
		var text_1 = text();
		template_effect(($0) => set_text(text_1, `${$0 ?? ""} ${get(saved).differences.length === 1 ? "value differs" : "values differ"} from ${get(saved).name ?? ""}`), [() => count(get(saved).differences.length)]);
		append($$anchor, text_1);
	};
	if_block(node, ($$render) => {
		if (get(saved)) $$render(consequent);
	});
	reset(span);
	var button = sibling(span, 4);
	reset(div_1);
	var node_1 = sibling(div_1, 2);
	var consequent_1 = ($$anchor) => {
		var p = root$2();
		var text_2 = only_child(p, true);
		template_effect(() => set_text(text_2, get(problem)));
		append($$anchor, p);
	};
	if_block(node_1, ($$render) => {
		if (get(problem)) $$render(consequent_1);
	});
	var node_2 = sibling(node_1, 2);
	var consequent_2 = ($$anchor) => {
		var p_1 = root_1$2();
		var text_3 = only_child(p_1);
		template_effect(() => set_text(text_3, `A run cannot start from this file: ${get(saved).problem ?? ""}`));
		append($$anchor, p_1);
	};
	if_block(node_2, ($$render) => {
		if (get(saved)?.problem) $$render(consequent_2);
	});
	var node_3 = sibling(node_2, 2);
	each(node_3, 16, () => get(saved)?.notes ?? [], (note) => note, ($$anchor, note) => {
		var p_2 = root_2$2();
		var text_4 = only_child(p_2, true);
		template_effect(() => set_text(text_4, note));
		append($$anchor, p_2);
	});
	var node_4 = sibling(node_3, 2);
	var consequent_5 = ($$anchor) => {
		var div_2 = root_5$1();
		var table = child(div_2);
		var tbody = sibling(child(table));
		each(tbody, 21, () => get(lines), index, ($$anchor, $$item, i) => {
			let mark = () => get($$item).mark;
			let text = () => get($$item).text;
			var fragment_1 = comment();
			var node_5 = first_child(fragment_1);
			var consequent_3 = ($$anchor) => {
				var tr = root_3$2();
				let classes;
				var td = child(tr);
				var text_5 = only_child(td, true);
				var td_1 = sibling(td);
				var code = child(td_1);
				var text_6 = only_child(code, true);
				reset(td_1);
				reset(tr);
				template_effect(() => {
					classes = set_class(tr, 1, "svelte-639419", null, classes, {
						now: mark() === "+",
						was: mark() === "-"
					});
					set_text(text_5, mark() === "-" ? "−" : mark());
					set_text(text_6, text());
				});
				append($$anchor, tr);
			};
			if_block(node_5, ($$render) => {
				if (get(near)[i]) $$render(consequent_3);
			});
			append($$anchor, fragment_1);
		});
		reset(tbody);
		reset(table);
		var node_6 = sibling(table, 2);
		var consequent_4 = ($$anchor) => {
			var p_3 = root_4$2();
			append($$anchor, p_3);
		};
		if_block(node_6, ($$render) => {
			if (get(changed) === 0) $$render(consequent_4);
		});
		reset(div_2);
		append($$anchor, div_2);
	};
	var consequent_6 = ($$anchor) => {
		var p_4 = root_6$1();
		append($$anchor, p_4);
	};
	if_block(node_4, ($$render) => {
		if (get(saved)) $$render(consequent_5);
		else if (!get(problem)) $$render(consequent_6, 1);
	});
	reset(div);
	template_effect(() => button.disabled = !get(saved));
	bind_checked(input, () => get(onlyChanges), ($$value) => set(onlyChanges, $$value));
	delegated("click", button, download);
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/screens/settings/Kept.svelte
var root$1 = from_html(`<span class="dim"> </span> <button class="btn" type="button" title="Write the settings file now; Restore goes back to these values">Save now</button> <button class="btn" type="button" title="Give all parameters the values of the start of the run, of the last Save now, or of a settings file that was edited since">Restore</button>`, 1);
var root_1$1 = from_html(`<span class="faint"> </span>`);
var root_2$1 = from_html(`<span class="alarm" role="alert"> </span>`);
var root_3$1 = from_html(`<span class="warn"> </span>`);
var root_4$1 = from_html(`<div class="kept svelte-o9wy2r" data-testid="kept"><!> <!> <!></div>`);
function Kept($$anchor, $$props) {
	push($$props, true);
	let problem = state("");
	const name = user_derived(() => $$props.settings.file?.replace(/^.*\//, "") ?? "");
	async function act(how) {
		try {
			const answer = await changeSettings(how);
			set(problem, "");
			if (answer.settings) $$props.changed(answer.settings);
		} catch (failure) {
			set(problem, failure.message, true);
		}
	}
	var div = root_4$1();
	var node = child(div);
	var consequent = ($$anchor) => {
		var fragment = root$1();
		var span = first_child(fragment);
		var text_1 = only_child(span);
		var button = sibling(span, 2);
		var button_1 = sibling(button, 2);
		template_effect(() => {
			set_attribute(span, "title", $$props.settings.file);
			set_text(text_1, `${$$props.settings.values.length ?? ""} kept in ${get(name) ?? ""}`);
			button.disabled = !run.mayWrite;
			button_1.disabled = !run.mayWrite;
		});
		delegated("click", button, () => act("save"));
		delegated("click", button_1, () => act("restore"));
		append($$anchor, fragment);
	};
	var alternate = ($$anchor) => {
		var span_1 = root_1$1();
		var text_2 = only_child(span_1);
		template_effect(() => set_text(text_2, `Changes are not kept: ${$$props.settings.problem ?? ""}`));
		append($$anchor, span_1);
	};
	if_block(node, ($$render) => {
		if ($$props.settings.file) $$render(consequent);
		else $$render(alternate, -1);
	});
	var node_1 = sibling(node, 2);
	var consequent_1 = ($$anchor) => {
		var span_2 = root_2$1();
		var text_3 = only_child(span_2, true);
		template_effect(() => set_text(text_3, get(problem)));
		append($$anchor, span_2);
	};
	var consequent_2 = ($$anchor) => {
		var span_3 = root_2$1();
		var text_4 = only_child(span_3, true);
		template_effect(() => set_text(text_4, $$props.settings.problem));
		append($$anchor, span_3);
	};
	if_block(node_1, ($$render) => {
		if (get(problem)) $$render(consequent_1);
		else if ($$props.settings.file && $$props.settings.problem) $$render(consequent_2, 1);
	});
	var node_2 = sibling(node_1, 2);
	each(node_2, 16, () => [...$$props.settings.problems, ...$$props.settings.not_restored.map((v) => `${v.node}.${v.key}: not restored: ${v.message}`)], (text) => text, ($$anchor, text) => {
		var span_4 = root_3$1();
		var text_5 = only_child(span_4, true);
		template_effect(() => set_text(text_5, text));
		append($$anchor, span_4);
	});
	reset(div);
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/screens/settings/Settings.svelte
var root = from_html(`<input type="search" placeholder="Find node, parameter, PV" aria-label="Find node, parameter, PV" class="svelte-88as1s"/> <label class="svelte-88as1s"><input type="checkbox"/> only what differs from the file</label> <span class="faint"> </span> <span class="space svelte-88as1s"></span> <button class="btn" type="button"> </button> <button class="btn primary" type="button"> </button>`, 1);
var root_1 = from_html(`<p class="alarm" role="alert"> </p>`);
var root_2 = from_html(`<span class="alarm" role="alert"> </span>`);
var root_3 = from_html(`<span class="source svelte-88as1s"> </span> ·`, 1);
var root_4 = from_html(`<!> <span class="faint"> </span>`, 1);
var root_5 = from_html(`<tr><th scope="row" class="svelte-88as1s"> </th><td class="value svelte-88as1s"><!></td><td class="before svelte-88as1s"><!></td><td class="pv svelte-88as1s"> </td><td class="doc svelte-88as1s"><!></td></tr>`);
var root_6 = from_html(`<section class="svelte-88as1s"><h2 class="svelte-88as1s"> <span> </span></h2> <!> <table class="svelte-88as1s"><colgroup><col class="c1 svelte-88as1s"/><col class="c2 svelte-88as1s"/><col class="c3 svelte-88as1s"/><col class="c4 svelte-88as1s"/><col/></colgroup><thead class="quiet"><tr><th class="svelte-88as1s">parameter</th><th class="svelte-88as1s">value</th><th class="svelte-88as1s">in the file</th><th class="svelte-88as1s">PV</th><th class="svelte-88as1s">meaning</th></tr></thead><tbody></tbody></table></section>`);
var root_7 = from_html(`<p class="dim none svelte-88as1s"> </p>`);
var root_8 = from_html(`<!> <div class="table scroll svelte-88as1s"></div>`, 1);
var root_9 = from_html(`<div class="panel settings svelte-88as1s"><header class="svelte-88as1s"><h1 class="svelte-88as1s">Settings</h1> <div class="seg svelte-88as1s" role="group" aria-label="What is shown"><button type="button" class="svelte-88as1s">Parameters</button> <button type="button" class="svelte-88as1s">Pipeline file</button></div> <!></header> <!></div>`);
function Settings($$anchor, $$props) {
	push($$props, true);
	const ASK_MS = 2e3;
	const words = user_derived(() => place.get("find").toLowerCase().split(/\s+/).filter(Boolean));
	const onlyChanged = user_derived(() => place.get("changed") === "1");
	const shows = user_derived(() => place.get("settings") === "file" ? "file" : "parameters");
	let copied = state(false);
	let settings$1 = state(null);
	user_effect(() => {
		let timer;
		let ended = false;
		const ask = async () => {
			const answer = document.hidden || run.link !== "open" ? null : await settings().catch(() => null);
			if (ended) return;
			set(settings$1, answer ?? get(settings$1));
			timer = setTimeout(ask, ASK_MS);
		};
		ask();
		return () => {
			ended = true;
			clearTimeout(timer);
		};
	});
	user_effect(() => run.watch(run.nodes.map((node) => node.name)));
	const changed = user_derived(() => run.nodes.map((node) => ({
		node: node.name,
		params: Object.keys(node.initial).map((param) => ({
			param,
			before: run.inFile(node.name, param) ?? null,
			now: run.value(node.name, param) ?? null
		})).filter(({ param, before, now }) => run.value(node.name, param) !== void 0 && !same(now, before))
	})).filter(({ params }) => params.length > 0));
	const isChanged = (node, param) => get(changed).some((c) => c.node === node && c.params.some((p) => p.param === param));
	const groups = user_derived(() => run.nodes.map((node) => ({
		node,
		specs: (run.typeOf(node.name)?.params ?? []).filter((spec) => {
			if (spec.readback || run.value(node.name, spec.name) === void 0) return false;
			if (get(onlyChanged) && !isChanged(node.name, spec.name) && drafts.of(node.name)[spec.name] === void 0) return false;
			const text = `${node.name} ${node.type} ${spec.name} ${spec.pv ?? ""} ${spec.doc}`.toLowerCase();
			return get(words).every((word) => text.includes(word));
		})
	})).filter(({ specs }) => specs.length > 0));
	const shown = user_derived(() => get(groups).reduce((sum, { specs }) => sum + specs.length, 0));
	const pending = user_derived(() => drafts.nodes.reduce((sum, node) => sum + drafts.count(node), 0));
	const sourceOf = (node, key) => get(settings$1)?.values.find((value) => value.node === node && value.key === key);
	const total = user_derived(() => get(changed).reduce((sum, { params }) => sum + params.length, 0));
	async function applyAll() {
		for (const node of drafts.nodes) await drafts.apply(node);
	}
	async function copy() {
		await navigator.clipboard.writeText(asArguments(get(changed)));
		set(copied, true);
		setTimeout(() => set(copied, false), 1500);
	}
	var div = root_9();
	var header = child(div);
	var div_1 = sibling(child(header), 2);
	var button = child(div_1);
	var button_1 = sibling(button, 2);
	reset(div_1);
	var node_1 = sibling(div_1, 2);
	var consequent = ($$anchor) => {
		var fragment = root();
		var input = first_child(fragment);
		remove_input_defaults(input);
		var label = sibling(input, 2);
		var input_1 = child(label);
		remove_input_defaults(input_1);
		next();
		reset(label);
		var span = sibling(label, 2);
		var text_1 = only_child(span);
		var button_2 = sibling(span, 4);
		var text_2 = only_child(button_2, true);
		var button_3 = sibling(button_2, 2);
		var text_3 = only_child(button_3);
		template_effect(($0) => {
			set_value(input, $0);
			set_checked(input_1, get(onlyChanged));
			set_text(text_1, `${get(shown) ?? ""} parameters, ${get(total) ?? ""} ${get(total) === 1 ? "differs" : "differ"}`);
			button_2.disabled = get(total) === 0;
			set_text(text_2, get(copied) ? "Copied" : "Copy as --set");
			button_3.disabled = get(pending) === 0 || !run.mayWrite;
			set_text(text_3, `Apply ${(get(pending) || "") ?? ""} ${get(pending) === 1 ? "change" : "changes"}`);
		}, [() => place.get("find")]);
		delegated("input", input, (e) => place.set({ find: e.currentTarget.value }));
		delegated("change", input_1, (e) => place.set({ changed: e.currentTarget.checked ? "1" : "" }));
		delegated("click", button_2, copy);
		delegated("click", button_3, applyAll);
		append($$anchor, fragment);
	};
	if_block(node_1, ($$render) => {
		if (get(shows) === "parameters") $$render(consequent);
	});
	reset(header);
	var node_2 = sibling(header, 2);
	var consequent_1 = ($$anchor) => {
		File($$anchor, {});
	};
	var alternate_1 = ($$anchor) => {
		var fragment_2 = root_8();
		var node_3 = first_child(fragment_2);
		var consequent_2 = ($$anchor) => {
			Kept($$anchor, {
				get settings() {
					return get(settings$1);
				},
				changed: (answer) => set(settings$1, answer)
			});
		};
		if_block(node_3, ($$render) => {
			if (get(settings$1)) $$render(consequent_2);
		});
		var div_2 = sibling(node_3, 2);
		each(div_2, 21, () => get(groups), ({ node, specs }) => node.name, ($$anchor, $$item) => {
			let node = () => get($$item).node;
			let specs = () => get($$item).specs;
			const refusal = user_derived(() => drafts.refusal(node().name));
			var section = root_6();
			var h2 = child(section);
			var text_4 = child(h2);
			var span_1 = sibling(text_4);
			var text_5 = only_child(span_1, true);
			reset(h2);
			var node_4 = sibling(h2, 2);
			var consequent_3 = ($$anchor) => {
				var p_1 = root_1();
				var text_6 = only_child(p_1, true);
				template_effect(() => set_text(text_6, get(refusal).message));
				append($$anchor, p_1);
			};
			if_block(node_4, ($$render) => {
				if (get(refusal) && !get(refusal).param) $$render(consequent_3);
			});
			var table = sibling(node_4, 2);
			var tbody = sibling(child(table), 2);
			each(tbody, 21, specs, (spec) => spec.name, ($$anchor, spec) => {
				const differs = user_derived(() => isChanged(node().name, get(spec).name));
				const source = user_derived(() => sourceOf(node().name, get(spec).name));
				var tr = root_5();
				let classes;
				var th = child(tr);
				var text_7 = only_child(th, true);
				var td = sibling(th);
				var node_5 = child(td);
				Field(node_5, {
					get node() {
						return node().name;
					},
					get spec() {
						return get(spec);
					}
				});
				reset(td);
				var td_1 = sibling(td);
				var node_6 = child(td_1);
				var consequent_4 = ($$anchor) => {
					InFile($$anchor, {
						get node() {
							return node().name;
						},
						get param() {
							return get(spec).name;
						}
					});
				};
				if_block(node_6, ($$render) => {
					if (get(differs)) $$render(consequent_4);
				});
				reset(td_1);
				var td_2 = sibling(td_1);
				var text_8 = only_child(td_2, true);
				var td_3 = sibling(td_2);
				var node_7 = child(td_3);
				var consequent_5 = ($$anchor) => {
					var span_2 = root_2();
					var text_9 = only_child(span_2, true);
					template_effect(() => set_text(text_9, get(refusal).message));
					append($$anchor, span_2);
				};
				var alternate = ($$anchor) => {
					var fragment_5 = root_4();
					var node_8 = first_child(fragment_5);
					var consequent_6 = ($$anchor) => {
						var fragment_6 = root_3();
						var span_3 = first_child(fragment_6);
						var text_10 = only_child(span_3);
						next();
						template_effect(() => {
							set_attribute(span_3, "title", get(source).at);
							set_text(text_10, `${get(source).source ?? ""}${get(source).source === "settings" && get(source).by ? `, ${get(source).by}` : ""}`);
						});
						append($$anchor, fragment_6);
					};
					if_block(node_8, ($$render) => {
						if (get(differs) && get(source)) $$render(consequent_6);
					});
					var text_11 = sibling(node_8);
					var span_4 = sibling(text_11);
					var text_12 = only_child(span_4, true);
					template_effect(($0) => {
						set_text(text_11, `${get(spec).doc ?? ""} `);
						set_text(text_12, $0);
					}, [() => wanted(get(spec))]);
					append($$anchor, fragment_5);
				};
				if_block(node_7, ($$render) => {
					if (get(refusal)?.param === get(spec).name) $$render(consequent_5);
					else $$render(alternate, -1);
				});
				reset(td_3);
				reset(tr);
				template_effect(($0) => {
					classes = set_class(tr, 1, "svelte-88as1s", null, classes, { differs: get(differs) });
					set_attribute(th, "title", get(spec).doc);
					set_text(text_7, get(spec).name);
					set_attribute(td_1, "title", `In the file: ${$0 ?? ""}`);
					set_text(text_8, get(spec).pv ?? "");
				}, [() => editable(run.inFile(node().name, get(spec).name))]);
				append($$anchor, tr);
			});
			reset(tbody);
			reset(table);
			reset(section);
			template_effect(() => {
				set_attribute(section, "aria-labelledby", `of-${node().name ?? ""}`);
				set_attribute(h2, "id", `of-${node().name ?? ""}`);
				set_text(text_4, `${node().name ?? ""} `);
				set_text(text_5, node().type);
			});
			append($$anchor, section);
		}, ($$anchor) => {
			var p_2 = root_7();
			var text_13 = only_child(p_2, true);
			template_effect(() => set_text(text_13, get(words).length > 0 || get(onlyChanged) ? "No parameter is like that." : "Waiting for the values of the nodes …"));
			append($$anchor, p_2);
		});
		reset(div_2);
		append($$anchor, fragment_2);
	};
	if_block(node_2, ($$render) => {
		if (get(shows) === "file") $$render(consequent_1);
		else $$render(alternate_1, -1);
	});
	reset(div);
	template_effect(() => {
		set_attribute(button, "aria-pressed", get(shows) === "parameters");
		set_attribute(button_1, "aria-pressed", get(shows) === "file");
	});
	delegated("click", button, () => place.set({ settings: "" }));
	delegated("click", button_1, () => place.set({ settings: "file" }));
	append($$anchor, div);
	pop();
}
delegate([
	"click",
	"input",
	"change"
]);
export { Settings as default };
