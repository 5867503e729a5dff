const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./Live.js","./disclose-version.js","./run.svelte.js","./units.js","./lanes.js","./preload-helper.js","./form.js","./drafts.svelte.js","./Field.js","./Field.css","./lanes.css","./Picture.js","./line.js","./place.svelte.js","./view.js","./theme.js","./themed.svelte.js","./maps.js","./settings.svelte.js","./Picture.css","./feed.svelte.js","./Live.css","./Graph.js","./Graph.css","./Trigger.js","./Points.js","./Points.css","./Trigger.css","./Plots.js","./Chart.js","./Chart.css","./Plots.css","./Settings.js","./Settings.css","./Ledger.js","./Ledger.css","./Runs.js","./Runs.css"])))=>i.map(i=>d[i]);
import { A as text, B as child, D as comment, E as append, G as set, H as only_child, J as pop, K as state, L as template_effect, M as delegated, N as event, O as from_html, P as get, Q as to_array, R as user_effect, S as if_block, T as set_text, U as sibling, V as first_child, W as proxy, X as next, Y as push, Z as reset, _ as component, c as remove_input_defaults, g as clsx, h as set_class, i as bind_this, j as delegate, l as set_attribute, q as user_derived, s as bind_value, w as mount, y as each, z as $window } from "./disclose-version.js";
import { l as openSession, n as inWords, o as command, s as endRun, t as run, v as takeControl } from "./run.svelte.js";
import { i as count, n as bytes, o as rate, r as clock, s as share, t as ago, u as timeOfDay } from "./units.js";
import { n as tokenOf, r as writeAddress, t as place } from "./place.svelte.js";
import { i as theme, r as setTheme } from "./theme.js";
import { t as __vitePreload } from "./preload-helper.js";
// src/model/session.ts
var NAME = "livetime.user";
var userName = () => localStorage.getItem(NAME) ?? "";
function setUserName(name) {
	localStorage.setItem(NAME, name.slice(0, 64));
}
async function enter() {
	addEventListener("hashchange", () => void useToken());
	await useToken();
}
async function useToken() {
	const token = tokenOf(location.hash);
	if (token === null) return;
	history.replaceState(null, "", writeAddress({
		screen: "live",
		query: {}
	}));
	place.reload();
	await signIn(token);
}
async function signIn(token) {
	try {
		run.rights = await openSession(token.trim().replace(/^.*#t=/, ""), userName());
		run.problem = "";
		return "";
	} catch (problem) {
		run.problem = problem.message;
		return run.problem;
	}
}
// src/parts/Authority.svelte
var root$4 = from_html(`<p><!></p> <div class="row"><button class="btn primary" type="button">Take control</button> <button class="btn" type="button">Give it back</button> <button class="btn" type="button">Close</button></div>`, 1);
var root_1$4 = from_html(`<p>This page may look but not change anything. The program printed a link when it started; open it, or paste it here.</p> <form><label class="svelte-1kkj6tr">Link or token <input type="password" autocomplete="off" required=""/></label> <label class="svelte-1kkj6tr">Your name, for the log <input maxlength="64" autocomplete="username"/></label> <div class="row"><button class="btn primary" type="submit">Use it</button> <button class="btn" type="button">Close</button></div></form>`, 1);
var root_2$2 = from_html(`<p class="alarm" role="alert"> </p>`);
var root_3$1 = from_html(`<button type="button" class="who svelte-1kkj6tr" aria-haspopup="dialog"><span class="svelte-1kkj6tr"> </span> <small class="svelte-1kkj6tr"> </small></button> <dialog aria-labelledby="authority"><h3 id="authority">Control of the run</h3> <!> <!></dialog>`, 1);
function Authority($$anchor, $$props) {
	push($$props, true);
	let dialog;
	let token = state("");
	let name = state(proxy(userName()));
	let problem = state("");
	const holder = user_derived(() => run.control.holder);
	const who = user_derived(() => get(holder)?.you ? "you" : get(holder) ? get(holder).user || get(holder).from : run.rights.write ? "free" : "this page only looks");
	async function give(take) {
		try {
			run.control = {
				...run.control,
				...await takeControl(take)
			};
			set(problem, "");
			dialog.close();
		} catch (failure) {
			set(problem, failure.message, true);
		}
	}
	async function enter(event) {
		event.preventDefault();
		setUserName(get(name));
		set(problem, await signIn(get(token)), true);
		if (!get(problem)) {
			set(token, "");
			dialog.close();
		}
	}
	var fragment = root_3$1();
	var button = first_child(fragment);
	var span = child(button);
	var text$2 = only_child(span);
	var small = sibling(span, 2);
	var text_1 = only_child(small);
	reset(button);
	var dialog_1 = sibling(button, 2);
	var node = sibling(child(dialog_1), 2);
	var consequent_2 = ($$anchor) => {
		var fragment_1 = root$4();
		var p = first_child(fragment_1);
		var node_1 = child(p);
		var consequent = ($$anchor) => {
			var text_2 = text("You have control. Others see the run, and that you have it.");
			append($$anchor, text_2);
		};
		var consequent_1 = ($$anchor) => {
			var text_3 = text();
			template_effect(() => set_text(text_3, `${(get(holder).user || "Somebody") ?? ""} at ${get(holder).from ?? ""} has control. Taking it is written to the log, and they see it.`));
			append($$anchor, text_3);
		};
		var alternate = ($$anchor) => {
			var text_4 = text("Nobody has control. Whoever changes something first gets it.");
			append($$anchor, text_4);
		};
		if_block(node_1, ($$render) => {
			if (get(holder)?.you) $$render(consequent);
			else if (get(holder)) $$render(consequent_1, 1);
			else $$render(alternate, -1);
		});
		reset(p);
		var div = sibling(p, 2);
		var button_1 = child(div);
		var button_2 = sibling(button_1, 2);
		var button_3 = sibling(button_2, 2);
		reset(div);
		template_effect(() => {
			button_1.disabled = !run.mayWrite || get(holder)?.you;
			button_2.disabled = !get(holder)?.you;
		});
		delegated("click", button_1, () => give(true));
		delegated("click", button_2, () => give(false));
		delegated("click", button_3, () => dialog.close());
		append($$anchor, fragment_1);
	};
	var alternate_1 = ($$anchor) => {
		var fragment_3 = root_1$4();
		var form = sibling(first_child(fragment_3), 2);
		var label = child(form);
		var input = sibling(child(label));
		remove_input_defaults(input);
		reset(label);
		var label_1 = sibling(label, 2);
		var input_1 = sibling(child(label_1));
		remove_input_defaults(input_1);
		reset(label_1);
		var div_1 = sibling(label_1, 2);
		var button_4 = sibling(child(div_1), 2);
		reset(div_1);
		reset(form);
		event("submit", form, enter);
		bind_value(input, () => get(token), ($$value) => set(token, $$value));
		bind_value(input_1, () => get(name), ($$value) => set(name, $$value));
		delegated("click", button_4, () => dialog.close());
		append($$anchor, fragment_3);
	};
	if_block(node, ($$render) => {
		if (run.rights.write) $$render(consequent_2);
		else $$render(alternate_1, -1);
	});
	var node_2 = sibling(node, 2);
	var consequent_3 = ($$anchor) => {
		var p_1 = root_2$2();
		var text_5 = only_child(p_1, true);
		template_effect(() => set_text(text_5, get(problem)));
		append($$anchor, p_1);
	};
	if_block(node_2, ($$render) => {
		if (get(problem)) $$render(consequent_3);
	});
	reset(dialog_1);
	bind_this(dialog_1, ($$value) => dialog = $$value, () => dialog);
	template_effect(($0) => {
		set_text(text$2, `Control: ${get(who) ?? ""}`);
		set_text(text_1, `${run.control.watching ?? ""} watching · ${$0 ?? ""}`);
	}, [() => run.link === "open" ? `${Math.round(run.behindMs)} ms behind` : "cut off"]);
	delegated("click", button, () => dialog.showModal());
	append($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/parts/StopRun.svelte
var root$3 = from_html(`<p class="alarm" role="alert"> </p>`);
var root_1$3 = from_html(`<button class="btn" type="button" aria-haspopup="dialog">Stop run…</button> <dialog aria-labelledby="stop-title"><h3 id="stop-title"> </h3> <p>The run ends for everybody. Stopping ends the sources and handles what is under way; aborting loses what is queued.</p> <div class="row"><button class="btn" type="button">Go on</button> <button class="btn primary" type="button">Stop</button> <button class="btn danger" type="button">Abort</button></div> <!></dialog>`, 1);
function StopRun($$anchor, $$props) {
	push($$props, true);
	let dialog;
	let problem = state("");
	async function end(how) {
		try {
			await endRun(how, run.run?.id ?? "");
			set(problem, "");
			dialog.close();
		} catch (failure) {
			set(problem, failure.message, true);
		}
	}
	var fragment = root_1$3();
	var button = first_child(fragment);
	var dialog_1 = sibling(button, 2);
	var h3 = child(dialog_1);
	var text = only_child(h3);
	var div = sibling(h3, 4);
	var button_1 = child(div);
	var button_2 = sibling(button_1, 2);
	var button_3 = sibling(button_2, 2);
	reset(div);
	var node = sibling(div, 2);
	var consequent = ($$anchor) => {
		var p = root$3();
		var text_1 = only_child(p, true);
		template_effect(() => set_text(text_1, get(problem)));
		append($$anchor, p);
	};
	if_block(node, ($$render) => {
		if (get(problem)) $$render(consequent);
	});
	reset(dialog_1);
	bind_this(dialog_1, ($$value) => dialog = $$value, () => dialog);
	template_effect(() => {
		button.disabled = !run.mayWrite;
		set_text(text, `Stop ${run.run?.pipeline ?? ""}?`);
	});
	delegated("click", button, () => dialog.showModal());
	delegated("click", button_1, () => dialog.close());
	delegated("click", button_2, () => end("stop"));
	delegated("click", button_3, () => end("abort"));
	append($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/parts/Bar.svelte
var root$2 = from_html(`<span class="alarm svelte-cyj3n"> </span>`);
var root_1$2 = from_html(`<span class="failed alarm svelte-cyj3n" role="alert"> </span>`);
var root_2$1 = from_html(`<button class="btn" type="button"> </button>`);
var root_3 = from_html(`<header aria-label="Run" class="svelte-cyj3n"><div class="kv name svelte-cyj3n"><b class="svelte-cyj3n"> </b> <small title="Started, prefix of the PVs, and machine" class="svelte-cyj3n"> </small></div> <div class="kv state svelte-cyj3n" role="status"><b><i></i> </b> <small><!></small></div> <div><div class="kv big svelte-cyj3n"><b class="svelte-cyj3n"> </b><small class="svelte-cyj3n">live time</small></div> <div class="kv svelte-cyj3n"><b class="svelte-cyj3n"> </b><small class="svelte-cyj3n"> </small></div> <div class="kv wide svelte-cyj3n"><b class="svelte-cyj3n"> </b> <small class="svelte-cyj3n"> </small></div> <div class="kv svelte-cyj3n"><b> </b><small class="svelte-cyj3n"> </small></div> <div class="kv wide svelte-cyj3n"><b class="asked svelte-cyj3n"> </b> <small class="svelte-cyj3n"> </small></div> <div class="kv wide svelte-cyj3n"><b> </b> <small class="svelte-cyj3n"> </small></div> <div class="kv wide svelte-cyj3n"><b class="svelte-cyj3n"> </b><small class="svelte-cyj3n"> </small></div></div> <div class="end svelte-cyj3n"><!> <!> <!> <!></div></header>`);
function Bar($$anchor, $$props) {
	push($$props, true);
	let now = state(proxy(Date.now()));
	let failed = state("");
	user_effect(() => {
		const timer = setInterval(() => set(now, Date.now(), true), 1e3);
		return () => clearInterval(timer);
	});
	const moment = user_derived(() => run.moment);
	const gone = user_derived(() => run.link === "gone");
	const lost = user_derived(() => get(moment)?.run.unintended ?? 0);
	const limit = user_derived(() => get(moment)?.limit);
	const limiter = user_derived(() => get(limit)?.limit.by === "cpu" ? "all cores" : get(limit)?.limit.node ?? "");
	const busy = user_derived(() => get(limit)?.limit.by === "cpu" ? get(limit).cpu_utilisation : get(limit)?.utilisation);
	const offeredAll = user_derived(() => get(moment)?.edges.offered.reduce((sum, n) => sum + (n ?? 0), 0) ?? 0);
	const edges = user_derived(() => run.graph.edges.filter((edge) => edge.open && edge.nodes[1] !== null).length);
	const sources = user_derived(() => run.nodes.map((node, i) => ({
		name: node.name,
		state: get(moment)?.nodes.state[i] ?? 0
	})).filter((s) => s.state & 16));
	const acquiring = user_derived(() => get(sources).some((source) => source.state & 12));
	const standing = user_derived(stateOf);
	function stateOf() {
		if (get(gone)) return {
			word: "No connection",
			tone: "alarm"
		};
		if (run.ended !== null) return {
			word: "Ended",
			tone: ""
		};
		if (!get(moment)) return {
			word: "Connecting",
			tone: ""
		};
		if (get(moment).state === "failed") return {
			word: "Failed",
			tone: "alarm"
		};
		if (get(moment).state === "ended") return {
			word: "Ended",
			tone: ""
		};
		return get(sources).length > 0 && !get(acquiring) ? {
			word: "Paused",
			tone: "asked"
		} : {
			word: "Running",
			tone: "running"
		};
	}
	async function turn(what) {
		try {
			for (const source of get(sources)) run.learn(await command(source.name, what));
			set(failed, "");
		} catch (problem) {
			set(failed, problem.message, true);
		}
	}
	function lossText() {
		const last = run.lastLoss;
		if (get(lost) === 0 || !last) return "nothing lost";
		const when = last.atMs === 0 ? "" : `, ${ago(get(now) - last.atMs)}`;
		return `${inWords(last.reason)}${last.place ? `, ${last.place}` : ""}${when}`;
	}
	var header = root_3();
	var div = child(header);
	var b = child(div);
	var text$1 = only_child(b, true);
	var small = sibling(b, 2);
	var text_1 = only_child(small);
	reset(div);
	var div_1 = sibling(div, 2);
	var b_1 = child(div_1);
	var i_1 = child(b_1);
	var text_2 = sibling(i_1, 1, true);
	reset(b_1);
	var small_1 = sibling(b_1, 2);
	let classes;
	var node_1 = child(small_1);
	var consequent = ($$anchor) => {
		var text_3 = text();
		template_effect(($0, $1) => set_text(text_3, `since ${$0 ?? ""} · ${$1 ?? ""} s`), [() => timeOfDay(run.goneSince), () => Math.max(0, Math.round((get(now) - run.goneSince) / 1e3))]);
		append($$anchor, text_3);
	};
	var consequent_1 = ($$anchor) => {
		var span = root$2();
		var text_4 = only_child(span, true);
		template_effect(() => {
			set_attribute(span, "title", get(moment).failure);
			set_text(text_4, get(moment).failure);
		});
		append($$anchor, span);
	};
	var alternate = ($$anchor) => {
		var text_5 = text();
		template_effect(($0) => set_text(text_5, $0), [() => clock(get(moment)?.elapsed_ns ?? 0)]);
		append($$anchor, text_5);
	};
	if_block(node_1, ($$render) => {
		if (get(gone)) $$render(consequent);
		else if (get(moment)?.failure) $$render(consequent_1, 1);
		else $$render(alternate, -1);
	});
	reset(small_1);
	reset(div_1);
	var div_2 = sibling(div_1, 2);
	let classes_1;
	var div_3 = child(div_2);
	var b_2 = child(div_3);
	var text_6 = only_child(b_2, true);
	next();
	reset(div_3);
	var div_4 = sibling(div_3, 2);
	var b_3 = child(div_4);
	var text_7 = only_child(b_3);
	var small_2 = sibling(b_3);
	var text_8 = only_child(small_2);
	reset(div_4);
	var div_5 = sibling(div_4, 2);
	var b_4 = child(div_5);
	var text_9 = only_child(b_4, true);
	var small_3 = sibling(b_4, 2);
	var text_10 = only_child(small_3);
	reset(div_5);
	var div_6 = sibling(div_5, 2);
	var b_5 = child(div_6);
	let classes_2;
	var text_11 = only_child(b_5, true);
	var small_4 = sibling(b_5);
	var text_12 = only_child(small_4, true);
	reset(div_6);
	var div_7 = sibling(div_6, 2);
	var b_6 = child(div_7);
	var text_13 = only_child(b_6, true);
	var small_5 = sibling(b_6, 2);
	var text_14 = only_child(small_5);
	reset(div_7);
	var div_8 = sibling(div_7, 2);
	var b_7 = child(div_8);
	let classes_3;
	var text_15 = only_child(b_7, true);
	var small_6 = sibling(b_7, 2);
	var text_16 = only_child(small_6);
	reset(div_8);
	var div_9 = sibling(div_8, 2);
	var b_8 = child(div_9);
	var text_17 = only_child(b_8, true);
	var small_7 = sibling(b_8);
	var text_18 = only_child(small_7);
	reset(div_9);
	reset(div_2);
	var div_10 = sibling(div_2, 2);
	var node_2 = child(div_10);
	var consequent_2 = ($$anchor) => {
		var span_1 = root_1$2();
		var text_19 = only_child(span_1, true);
		template_effect(() => {
			set_attribute(span_1, "title", get(failed));
			set_text(text_19, get(failed));
		});
		append($$anchor, span_1);
	};
	if_block(node_2, ($$render) => {
		if (get(failed)) $$render(consequent_2);
	});
	var node_3 = sibling(node_2, 2);
	Authority(node_3, {});
	var node_4 = sibling(node_3, 2);
	var consequent_3 = ($$anchor) => {
		var button = root_2$1();
		var text_20 = only_child(button, true);
		template_effect(() => {
			button.disabled = !run.mayWrite;
			set_text(text_20, get(acquiring) ? "Pause" : "Start");
		});
		delegated("click", button, () => turn(get(acquiring) ? "abort" : "acquire"));
		append($$anchor, button);
	};
	if_block(node_4, ($$render) => {
		if (get(sources).length > 0) $$render(consequent_3);
	});
	StopRun(sibling(node_4, 2), {});
	reset(div_10);
	reset(header);
	template_effect(($0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) => {
		set_attribute(b, "title", run.run?.pipeline);
		set_text(text$1, $0);
		set_text(text_1, `${$1 ?? ""} · ${run.run?.pv_prefix ?? "no PVs" ?? ""} · ${run.run?.host ?? "" ?? ""}`);
		set_class(b_1, 1, clsx(get(standing).tone), "svelte-cyj3n");
		set_class(i_1, 1, `dot ${get(standing).tone ?? ""}`, "svelte-cyj3n");
		set_text(text_2, get(standing).word);
		classes = set_class(small_1, 1, "svelte-cyj3n", null, classes, { alarm: get(gone) });
		classes_1 = set_class(div_2, 1, "figures svelte-cyj3n", null, classes_1, { gone: get(gone) || run.ended !== null });
		set_text(text_6, $2);
		set_text(text_7, `${$3 ?? ""} Hz`);
		set_text(text_8, `${$4 ?? ""} frames`);
		set_text(text_9, $5);
		set_text(text_10, `sustainable${$6 ?? ""}`);
		classes_2 = set_class(b_5, 1, "svelte-cyj3n", null, classes_2, { warn: get(lost) > 0 });
		set_text(text_11, $7);
		set_text(text_12, $8);
		set_text(text_13, $9);
		set_text(text_14, `left out as asked · ${$10 ?? ""}`);
		classes_3 = set_class(b_7, 1, "svelte-cyj3n", null, classes_3, { alarm: get(moment)?.run.closed === false });
		set_text(text_15, get(moment)?.run.closed === false ? "Open" : "Closed");
		set_text(text_16, `ledger, ${get(edges) ?? ""} edges`);
		set_text(text_17, $11);
		set_text(text_18, `of ${$12 ?? ""} frame memory`);
	}, [
		() => run.run?.pipeline.replace(/^.*[/\\]/, "") ?? "Livetime",
		() => run.run ? timeOfDay(run.run.started_ns / 1e6) : "",
		() => get(moment) ? share(get(moment).run.live) : "–",
		() => rate(get(moment)?.run.hz),
		() => count(get(moment)?.run.frames),
		() => get(limit) ? `${rate(get(limit).sustainable_hz)} Hz` : "–",
		() => get(limiter) ? ` · ${get(limiter)} ${Math.round((get(busy) ?? 0) * 100)} % busy` : "",
		() => get(lost) > 0 ? `${count(get(lost))} lost` : "0 lost",
		() => lossText(),
		() => count(get(moment)?.run.intended),
		() => share(get(offeredAll) > 0 ? (get(moment)?.run.intended ?? 0) / get(offeredAll) : 0, 1),
		() => bytes(get(moment)?.run.pool_used),
		() => bytes(get(moment)?.run.pool_limit)
	]);
	append($$anchor, header);
	pop();
}
delegate(["click"]);
// src/parts/Rail.svelte
var root$1 = from_html(`<a class="svelte-1oz89qw"><svg viewBox="0 0 20 20" aria-hidden="true" class="svelte-1oz89qw"><path></path></svg> </a>`);
var root_1$1 = from_html(`<nav aria-label="Screens" class="svelte-1oz89qw"><svg class="mark svelte-1oz89qw" viewBox="0 0 36 36" aria-hidden="true"><path d="M5 24h6l3-13 4 17 4-11 2 7h7" stroke="var(--accent)" stroke-width="2.2"></path><path d="M5 31h26" stroke="var(--line2)" stroke-width="1.4"></path></svg> <!> <button type="button" class="svelte-1oz89qw"><svg viewBox="0 0 20 20" aria-hidden="true" class="svelte-1oz89qw"><circle cx="10" cy="10" r="6.500"></circle><path d="M10 3.500a6.500 6.500 0 0 1 0 13z" fill="currentColor"></path></svg> <span class="quiet">Colours:</span> </button></nav>`);
function Rail($$anchor, $$props) {
	push($$props, true);
	let chosen = state(proxy(theme()));
	const ICONS = {
		live: "M5 3h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM13.200 10a3.200 3.200 0 1 1-6.400 0a3.200 3.200 0 1 1 6.400 0z",
		graph: "M2 7.500h5v5H2zM13 2.500h5v5h-5zM13 12.500h5v5h-5zM7 10h3M10 5v10M10 5h3M10 15h3",
		trigger: "M4 2v16M8 2v16M12 2v16M16 2v16M3 14l5-5 3 2 6-7",
		plots: "M3 3v14h14M5.500 13l3.500-5 3 3 4.500-6",
		settings: "M3 5h3.200M9.800 5H17M3 10h8.200M14.800 10H17M3 15h1.200M7.800 15H17M9.800 5a1.800 1.800 0 1 1-3.600 0a1.800 1.800 0 1 1 3.600 0zM14.800 10a1.800 1.800 0 1 1-3.600 0a1.800 1.800 0 1 1 3.600 0zM7.800 15a1.800 1.800 0 1 1-3.600 0a1.800 1.800 0 1 1 3.600 0z",
		ledger: "M4 4h12M4 8h12M4 12h8M4 16h10",
		runs: "M3 6c0-2 14-2 14 0v8c0 2-14 2-14 0zM3 6c0 2 14 2 14 0M3 10c0 2 14 2 14 0"
	};
	const NEXT = {
		system: "dark",
		dark: "light",
		light: "system"
	};
	function turn() {
		set(chosen, NEXT[get(chosen)], true);
		setTheme(get(chosen));
	}
	function go(event, name) {
		if (event.ctrlKey || event.metaKey || event.shiftKey) return;
		event.preventDefault();
		place.go(name);
	}
	var nav = root_1$1();
	var node = sibling(child(nav), 2);
	each(node, 19, () => $$props.screens, ({ name, title }) => name, ($$anchor, $$item, i) => {
		let name = () => get($$item).name;
		let title = () => get($$item).title;
		var a = root$1();
		var svg = child(a);
		var path = only_child(svg);
		var text = sibling(svg, 1, true);
		reset(a);
		template_effect(($0) => {
			set_attribute(a, "href", $0);
			set_attribute(a, "aria-current", place.screen === name() ? "page" : void 0);
			set_attribute(a, "title", `${title() ?? ""} (key ${get(i) + 1})`);
			set_attribute(path, "d", ICONS[name()]);
			set_text(text, title());
		}, [() => writeAddress({
			screen: name(),
			query: {}
		})]);
		delegated("click", a, (event) => go(event, name()));
		append($$anchor, a);
	});
	var button = sibling(node, 2);
	var text_1 = sibling(child(button), 3, true);
	reset(button);
	reset(nav);
	template_effect(() => {
		set_attribute(button, "title", `Colours: ${get(chosen) ?? ""}; press for ${NEXT[get(chosen)] ?? ""}`);
		set_text(text_1, get(chosen));
	});
	delegated("click", button, turn);
	append($$anchor, nav);
	pop();
}
delegate(["click"]);
// src/screens/list.ts
var ALL = [
	{
		name: "live",
		title: "Live",
		load: () => __vitePreload(() => import("./Live.js"), __vite__mapDeps([0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21]), import.meta.url)
	},
	{
		name: "graph",
		title: "Graph",
		load: () => __vitePreload(() => import("./Graph.js"), __vite__mapDeps([22,1,4,2,3,5,6,7,8,9,10,13,23]), import.meta.url)
	},
	{
		name: "trigger",
		title: "Trigger",
		load: () => __vitePreload(() => import("./Trigger.js"), __vite__mapDeps([24,1,13,2,6,3,25,16,17,14,15,26,27]), import.meta.url)
	},
	{
		name: "plots",
		title: "Plots",
		load: () => __vitePreload(() => import("./Plots.js"), __vite__mapDeps([28,1,2,29,3,15,16,30,20,13,25,17,14,26,31]), import.meta.url)
	},
	{
		name: "settings",
		title: "Settings",
		load: () => __vitePreload(() => import("./Settings.js"), __vite__mapDeps([32,1,8,7,2,6,3,9,13,33]), import.meta.url)
	},
	{
		name: "ledger",
		title: "Ledger",
		load: () => __vitePreload(() => import("./Ledger.js"), __vite__mapDeps([34,1,2,29,3,15,16,30,20,13,35]), import.meta.url)
	},
	{
		name: "runs",
		title: "Runs",
		load: () => __vitePreload(() => import("./Runs.js"), __vite__mapDeps([36,1,2,3,13,11,7,12,14,15,16,17,18,5,19,37]), import.meta.url)
	}
];
function offered(nodes) {
	const tables = nodes.some((node) => node.outputs.some((output) => output.kinds.includes("table")));
	return ALL.filter((screen) => screen.name !== "trigger" || tables);
}
// src/App.svelte
var root = from_html(`<p class="note alarm svelte-1n46o8q"> </p>`);
var root_1 = from_html(`<p class="note dim svelte-1n46o8q"> </p>`);
var root_2 = from_html(`<a class="quiet skip svelte-1n46o8q" href="#main">Skip to the screen</a> <div class="app svelte-1n46o8q"><!> <!> <main id="main" tabindex="-1"><!></main></div>`, 1);
function App($$anchor, $$props) {
	push($$props, true);
	let Shown = state(null);
	let problem = state("");
	const screens = user_derived(() => offered(run.nodes));
	const gone = user_derived(() => run.link === "gone");
	user_effect(() => void load(place.screen));
	async function load(name) {
		try {
			const { default: next } = await (get(screens).find((screen) => screen.name === name) ?? get(screens)[0]).load();
			if (place.screen === name) (($$value) => {
				var $$array = to_array($$value, 2);
				set(Shown, $$array[0]);
				set(problem, $$array[1], true);
			})([next, ""]);
		} catch {
			set(problem, "This screen could not be loaded from the server.");
		}
	}
	function key(event) {
		const target = event.target;
		if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, dialog")) return;
		const screen = get(screens)[Number(event.key) - 1];
		if (screen) place.go(screen.name);
	}
	var fragment = root_2();
	event("keydown", $window, key);
	var a = first_child(fragment);
	var div = sibling(a, 2);
	var node = child(div);
	Rail(node, { get screens() {
		return get(screens);
	} });
	var node_1 = sibling(node, 2);
	Bar(node_1, {});
	var main = sibling(node_1, 2);
	let classes;
	var node_2 = child(main);
	var consequent = ($$anchor) => {
		var p = root();
		var text = only_child(p, true);
		template_effect(() => set_text(text, get(problem)));
		append($$anchor, p);
	};
	var consequent_1 = ($$anchor) => {
		var p_1 = root_1();
		var text_1 = only_child(p_1, true);
		template_effect(() => set_text(text_1, run.problem || "Asking the server what runs …"));
		append($$anchor, p_1);
	};
	var consequent_2 = ($$anchor) => {
		var fragment_1 = comment();
		var node_3 = first_child(fragment_1);
		component(node_3, () => get(Shown), ($$anchor, Shown_1) => {
			Shown_1($$anchor, {});
		});
		append($$anchor, fragment_1);
	};
	if_block(node_2, ($$render) => {
		if (get(problem)) $$render(consequent);
		else if (run.described === null) $$render(consequent_1, 1);
		else if (get(Shown)) $$render(consequent_2, 2);
	});
	reset(main);
	reset(div);
	template_effect(() => {
		set_attribute(main, "aria-busy", get(gone));
		classes = set_class(main, 1, "svelte-1n46o8q", null, classes, { gone: get(gone) || run.ended !== null });
	});
	delegated("click", a, (e) => (e.preventDefault(), document.getElementById("main")?.focus()));
	append($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/main.ts
await enter();
run.start();
mount(App, { target: document.getElementById("page") });
