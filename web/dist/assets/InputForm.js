import { $t as reset, At as from_html, Dt as set_text, E as inWords, Ft as event, Gt as sibling, Ht as child, It as get, Jt as state, Kt as proxy, L as span, M as count, Nt as delegate, Ot as append, Pt as delegated, St as each, Tt as if_block, Ut as first_child, Wt as only_child, Xt as pop, Y as setInput, Yt as user_derived, Zt as push, dt as set_attribute, gt as select_option, ht as init_select, kt as comment, pt as set_value, qt as set, tn as to_array, ut as remove_input_defaults, vt as set_class, z as run, zt as template_effect } from "./page.js";
// src/model/inputs.ts
function byInput(node, ports, edges) {
	const declared = ports.map(({ name, frames }) => ({
		to: `${node}.${name}`,
		port: name,
		frames
	}));
	const known = new Set(declared.map(({ to }) => to));
	const others = [...new Set(edges.map(({ to }) => to))].filter((to) => !known.has(to));
	return [...declared, ...others.map((to) => ({
		to,
		port: to.slice(to.lastIndexOf(".") + 1),
		frames: ""
	}))].map((input) => ({
		...input,
		edges: edges.filter(({ to }) => to === input.to)
	}));
}
// src/parts/EdgeForm.svelte
var root$1 = from_html(`<option> </option>`);
var root_1$1 = from_html(`<label class="svelte-1x4wwfz"><span> </span> <span class="in svelte-1x4wwfz"><input inputmode="decimal" placeholder="no limit" class="svelte-1x4wwfz"/> <em class="svelte-1x4wwfz"> </em></span></label>`);
var root_2$1 = from_html(`<div class="apply svelte-1x4wwfz"><button class="btn primary" type="submit">Apply</button> <button class="btn" type="button">Revert</button></div>`);
var root_3$1 = from_html(`<p class="alarm" role="alert"> </p>`);
var root_4$1 = from_html(`<button class="btn" type="button">Take this edge away</button>`);
var root_5$1 = from_html(`<dt class="svelte-1x4wwfz"> </dt><dd class="svelte-1x4wwfz"> </dd>`, 1);
var root_6$1 = from_html(`<form><label class="svelte-1x4wwfz"><span>From</span> <select></select></label> <label title="What becomes of a frame that finds the queue full" class="svelte-1x4wwfz"><span>When full</span> <select data-input="when_full"></select></label> <!> <!> <!> <!></form> <h2 class="svelte-1x4wwfz">Account <span>since the run began</span></h2> <dl class="svelte-1x4wwfz"><dt class="svelte-1x4wwfz">Offered</dt><dd class="svelte-1x4wwfz"> </dd> <dt class="svelte-1x4wwfz">Delivered</dt><dd class="svelte-1x4wwfz"> </dd> <dt class="svelte-1x4wwfz">Queued</dt><dd class="svelte-1x4wwfz"> </dd> <dt class="svelte-1x4wwfz">Left out as asked</dt><dd class="asked svelte-1x4wwfz"> </dd> <dt class="svelte-1x4wwfz">Lost</dt><dd> </dd> <!> <dt class="svelte-1x4wwfz">Waiting time, p99 of the whole run</dt><dd class="svelte-1x4wwfz"> </dd></dl>`, 1);
function EdgeForm($$anchor, $$props) {
	push($$props, true);
	const place = user_derived(() => run.graph.edges.indexOf($$props.edge));
	const now = user_derived(() => run.moment?.edges);
	const losses = user_derived(() => (run.moment?.losses ?? []).filter(([at]) => at === get(place)));
	let problem = state("");
	let change = state(proxy({}));
	const FIELDS = [
		[
			"queue",
			"Queue",
			"frames",
			"How many frames may wait."
		],
		[
			"every",
			"Every",
			"frames",
			"One frame in so many is offered; the others are left out as asked."
		],
		[
			"max_rate_hz",
			"At most",
			"Hz",
			"What comes faster is left out as asked; 0 is no limit."
		]
	];
	const POLICIES = [
		["drop_newest", "lose the new frame"],
		["drop_oldest", "lose the oldest that waits"],
		["latest", "keep only the newest (as asked)"],
		["block", "let the sender wait"],
		["fail", "end the run"]
	];
	async function send(wish) {
		try {
			run.learn(await setInput($$props.node, {
				edge: {
					from: $$props.edge.from,
					to: $$props.edge.to
				},
				...wish
			}));
			(($$value) => {
				var $$array = to_array($$value, 2);
				set(change, $$array[0], true);
				set(problem, $$array[1], true);
			})([{}, ""]);
		} catch (failure) {
			set(problem, failure.message, true);
		}
	}
	function apply() {
		const numbers = FIELDS.flatMap(([key]) => get(change)[key] === void 0 ? [] : [[key, Number(get(change)[key])]]);
		const words = ["from", "when_full"].flatMap((key) => get(change)[key] === void 0 ? [] : [[key, get(change)[key]]]);
		return send(Object.fromEntries([...numbers, ...words]));
	}
	var fragment = root_6$1();
	var form = first_child(fragment);
	var label = child(form);
	var select = sibling(child(label), 2);
	each(select, 20, () => $$props.outputs, (output) => output, ($$anchor, output) => {
		var option = root$1();
		var text = only_child(option, true);
		var option_value = {};
		template_effect(() => {
			set_text(text, output);
			if (option_value !== (option_value = output)) option.__value = option_value;
		});
		append($$anchor, option);
	});
	reset(select);
	var select_value;
	init_select(select);
	reset(label);
	var label_1 = sibling(label, 2);
	var select_1 = sibling(child(label_1), 2);
	each(select_1, 21, () => POLICIES, ([name, meaning]) => name, ($$anchor, $$item) => {
		var $$array_1 = user_derived(() => to_array(get($$item), 2));
		let name = () => get($$array_1)[0];
		let meaning = () => get($$array_1)[1];
		var option_1 = root$1();
		var text_1 = only_child(option_1, true);
		var option_1_value = {};
		template_effect(() => {
			set_text(text_1, meaning());
			if (option_1_value !== (option_1_value = name())) option_1.value = (option_1.__value = option_1_value) ?? "";
		});
		append($$anchor, option_1);
	});
	reset(select_1);
	var select_1_value;
	init_select(select_1);
	reset(label_1);
	var node_1 = sibling(label_1, 2);
	each(node_1, 17, () => FIELDS, ([key, title, unit, hint]) => key, ($$anchor, $$item) => {
		var $$array_2 = user_derived(() => to_array(get($$item), 4));
		let key = () => get($$array_2)[0];
		let title = () => get($$array_2)[1];
		let unit = () => get($$array_2)[2];
		let hint = () => get($$array_2)[3];
		var label_2 = root_1$1();
		var span_1 = child(label_2);
		var text_2 = only_child(span_1, true);
		var span_2 = sibling(span_1, 2);
		var input = child(span_2);
		remove_input_defaults(input);
		var em = sibling(input, 2);
		var text_3 = only_child(em, true);
		reset(span_2);
		reset(label_2);
		template_effect(() => {
			set_attribute(label_2, "title", hint());
			set_text(text_2, title());
			input.disabled = !$$props.mayChange;
			set_attribute(input, "data-input", key());
			set_value(input, get(change)[key()] ?? $$props.edge[key()] ?? "");
			set_text(text_3, unit());
		});
		delegated("input", input, (e) => set(change, {
			...get(change),
			[key()]: e.currentTarget.value
		}, true));
		append($$anchor, label_2);
	});
	var node_2 = sibling(node_1, 2);
	var consequent = ($$anchor) => {
		var div = root_2$1();
		var button = sibling(child(div), 2);
		reset(div);
		delegated("click", button, () => (($$value) => {
			var $$array_3 = to_array($$value, 2);
			set(change, $$array_3[0], true);
			set(problem, $$array_3[1], true);
			return $$value;
		})([{}, ""]));
		append($$anchor, div);
	};
	var d = user_derived(() => Object.keys(get(change)).length > 0);
	if_block(node_2, ($$render) => {
		if (get(d)) $$render(consequent);
	});
	var node_3 = sibling(node_2, 2);
	var consequent_1 = ($$anchor) => {
		var p = root_3$1();
		var text_4 = only_child(p, true);
		template_effect(() => set_text(text_4, get(problem)));
		append($$anchor, p);
	};
	if_block(node_3, ($$render) => {
		if (get(problem)) $$render(consequent_1);
	});
	var node_4 = sibling(node_3, 2);
	var consequent_2 = ($$anchor) => {
		var button_1 = root_4$1();
		template_effect(() => button_1.disabled = !$$props.mayChange);
		delegated("click", button_1, () => send({ from: null }));
		append($$anchor, button_1);
	};
	if_block(node_4, ($$render) => {
		if ($$props.mayGo) $$render(consequent_2);
	});
	reset(form);
	var dl = sibling(form, 4);
	var dd = sibling(child(dl));
	var text_5 = only_child(dd, true);
	var dd_1 = sibling(dd, 3);
	var text_6 = only_child(dd_1, true);
	var dd_2 = sibling(dd_1, 3);
	var text_7 = only_child(dd_2);
	var dd_3 = sibling(dd_2, 3);
	var text_8 = only_child(dd_3, true);
	var dd_4 = sibling(dd_3, 3);
	let classes;
	var text_9 = only_child(dd_4, true);
	var node_5 = sibling(dd_4, 2);
	each(node_5, 17, () => get(losses), ([, reason, n]) => reason, ($$anchor, $$item) => {
		var $$array_4 = user_derived(() => to_array(get($$item), 3));
		let reason = () => get($$array_4)[1];
		let n = () => get($$array_4)[2];
		var fragment_1 = root_5$1();
		var dt = first_child(fragment_1);
		var text_10 = only_child(dt);
		var dd_5 = sibling(dt);
		var text_11 = only_child(dd_5, true);
		template_effect(($0, $1) => {
			set_text(text_10, ` ${$0 ?? ""}`);
			set_text(text_11, $1);
		}, [() => inWords(reason()), () => count(n())]);
		append($$anchor, fragment_1);
	});
	var dd_6 = sibling(node_5, 3);
	var text_12 = only_child(dd_6, true);
	reset(dl);
	template_effect(($0, $1, $2, $3, $4, $5, $6) => {
		set_attribute(form, "aria-label", `Edge from ${$$props.edge.from ?? ""} to ${$$props.edge.to ?? ""}`);
		select.disabled = !$$props.mayChange;
		if (select_value !== (select_value = get(change).from ?? $$props.edge.from)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		select_1.disabled = !$$props.mayChange;
		if (select_1_value !== (select_1_value = get(change).when_full ?? $$props.edge.when_full)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
		set_text(text_5, $0);
		set_text(text_6, $1);
		set_text(text_7, `${$2 ?? ""} of ${$3 ?? ""}`);
		set_text(text_8, $4);
		classes = set_class(dd_4, 1, "svelte-1x4wwfz", null, classes, { warn: (get(now)?.losing[get(place)] ?? 0) > 0 });
		set_text(text_9, $5);
		set_text(text_12, $6);
	}, [
		() => count(get(now)?.offered[get(place)]),
		() => count(get(now)?.delivered[get(place)]),
		() => count(get(now)?.queued[get(place)]),
		() => count(get(now)?.capacity[get(place)]),
		() => count(get(now)?.left_out[get(place)]),
		() => count(get(now)?.lost[get(place)]),
		() => span((get(now)?.waiting_p99_ms[get(place)] ?? 0) * 1e6)
	]);
	event("submit", form, (event) => (event.preventDefault(), void apply()));
	delegated("change", select, (e) => set(change, {
		...get(change),
		from: e.currentTarget.value
	}, true));
	delegated("change", select_1, (e) => set(change, {
		...get(change),
		when_full: e.currentTarget.value
	}, true));
	append($$anchor, fragment);
	pop();
}
delegate([
	"change",
	"input",
	"click"
]);
// src/parts/InputForm.svelte
var root = from_html(`<p class="dim"> </p>`);
var root_1 = from_html(`<h2 class="port svelte-c5rhj2"> <span> </span></h2>`);
var root_2 = from_html(`<!> <!>`, 1);
var root_3 = from_html(`<p class="faint note svelte-c5rhj2"> </p>`);
var root_4 = from_html(`<option> </option>`);
var root_5 = from_html(`<p class="alarm" role="alert"> </p>`);
var root_6 = from_html(`<p class="faint note svelte-c5rhj2">A change makes a new edge: what waits in the old one is still delivered.</p> <h2 class="svelte-c5rhj2">One more edge</h2> <form><label class="svelte-c5rhj2"><span>From</span> <select data-add="from"></select></label> <label class="svelte-c5rhj2"><span>To</span> <select data-add="to"></select></label> <button class="btn" type="submit">Connect</button></form> <!>`, 1);
function InputForm($$anchor, $$props) {
	push($$props, true);
	const inputs = user_derived(() => byInput($$props.node, run.typeOf($$props.node)?.inputs ?? [], run.edgesTo($$props.node)));
	const isInline = user_derived(() => run.node($$props.node)?.placement === "inline");
	const mayChange = user_derived(() => run.mayWrite && !get(isInline));
	const outputs = user_derived(() => run.nodes.filter((other) => other.name !== $$props.node).flatMap((other) => other.outputs.map((o) => o.name)));
	let to = state("");
	let from = state("");
	let problem = state("");
	const wantedTo = user_derived(() => get(to) || (get(inputs).find(({ edges }) => edges.length === 0) ?? get(inputs)[0])?.to || "");
	const wantedFrom = user_derived(() => get(from) || get(outputs)[0] || "");
	async function add(event) {
		event.preventDefault();
		try {
			run.learn(await setInput($$props.node, {
				add: get(wantedTo),
				from: get(wantedFrom)
			}));
			(($$value) => {
				var $$array = to_array($$value, 3);
				set(to, $$array[0], true);
				set(from, $$array[1], true);
				set(problem, $$array[2], true);
			})([
				"",
				"",
				""
			]);
		} catch (failure) {
			set(problem, failure.message, true);
		}
	}
	var fragment = comment();
	var node_1 = first_child(fragment);
	var consequent = ($$anchor) => {
		var p = root();
		var text = only_child(p);
		template_effect(() => set_text(text, `${$$props.node ?? ""} is a source: it has no input.`));
		append($$anchor, p);
	};
	var alternate_1 = ($$anchor) => {
		var fragment_1 = root_2();
		var node_2 = first_child(fragment_1);
		each(node_2, 19, () => get(inputs), ({ to, port, frames, edges }) => to, ($$anchor, $$item, number, $$array_1) => {
			let port = () => get($$item).port;
			let frames = () => get($$item).frames;
			let edges = () => get($$item).edges;
			var fragment_2 = comment();
			var node_3 = first_child(fragment_2);
			var consequent_2 = ($$anchor) => {
				var fragment_3 = root_2();
				var node_4 = first_child(fragment_3);
				var consequent_1 = ($$anchor) => {
					var h2 = root_1();
					var text_1 = child(h2);
					var span = sibling(text_1);
					var text_2 = only_child(span, true);
					reset(h2);
					template_effect(() => {
						set_text(text_1, `Input ${port() ?? ""} `);
						set_text(text_2, frames());
					});
					append($$anchor, h2);
				};
				if_block(node_4, ($$render) => {
					if (get(inputs).length > 1) $$render(consequent_1);
				});
				var node_5 = sibling(node_4, 2);
				each(node_5, 17, edges, (edge) => edge.from, ($$anchor, edge) => {
					{
						let $0 = user_derived(() => get(number) > 0 || edges().length > 1);
						EdgeForm($$anchor, {
							get node() {
								return $$props.node;
							},
							get edge() {
								return get(edge);
							},
							get outputs() {
								return get(outputs);
							},
							get mayChange() {
								return get(mayChange);
							},
							get mayGo() {
								return get($0);
							}
						});
					}
				});
				append($$anchor, fragment_3);
			};
			if_block(node_3, ($$render) => {
				if (edges().length > 0) $$render(consequent_2);
			});
			append($$anchor, fragment_2);
		});
		var node_6 = sibling(node_2, 2);
		var consequent_3 = ($$anchor) => {
			var p_1 = root_3();
			var text_3 = only_child(p_1);
			template_effect(() => set_text(text_3, `${$$props.node ?? ""} runs inline, where its frames are sent: it has no queue, and its input cannot change while the run goes on.`));
			append($$anchor, p_1);
		};
		var alternate = ($$anchor) => {
			var fragment_5 = root_6();
			var form = sibling(first_child(fragment_5), 4);
			var label = child(form);
			var select = sibling(child(label), 2);
			each(select, 20, () => get(outputs), (output) => output, ($$anchor, output) => {
				var option = root_4();
				var text_4 = only_child(option, true);
				var option_value = {};
				template_effect(() => {
					set_text(text_4, output);
					if (option_value !== (option_value = output)) option.__value = option_value;
				});
				append($$anchor, option);
			});
			reset(select);
			var select_value;
			init_select(select);
			reset(label);
			var label_1 = sibling(label, 2);
			var select_1 = sibling(child(label_1), 2);
			each(select_1, 21, () => get(inputs), ({ to, edges }) => to, ($$anchor, $$item, $$index_3, $$array_2) => {
				let to = () => get($$item).to;
				let edges = () => get($$item).edges;
				var option_1 = root_4();
				var text_5 = only_child(option_1);
				var option_1_value = {};
				template_effect(() => {
					set_text(text_5, `${to() ?? ""}${edges().length === 0 ? " (not connected)" : ""}`);
					if (option_1_value !== (option_1_value = to())) option_1.value = (option_1.__value = option_1_value) ?? "";
				});
				append($$anchor, option_1);
			});
			reset(select_1);
			var select_1_value;
			init_select(select_1);
			reset(label_1);
			var button = sibling(label_1, 2);
			reset(form);
			var node_7 = sibling(form, 2);
			var consequent_4 = ($$anchor) => {
				var p_2 = root_5();
				var text_6 = only_child(p_2, true);
				template_effect(() => set_text(text_6, get(problem)));
				append($$anchor, p_2);
			};
			if_block(node_7, ($$render) => {
				if (get(problem)) $$render(consequent_4);
			});
			template_effect(() => {
				set_attribute(form, "aria-label", `One more edge to ${$$props.node ?? ""}`);
				select.disabled = !get(mayChange);
				if (select_value !== (select_value = get(wantedFrom))) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
				select_1.disabled = !get(mayChange);
				if (select_1_value !== (select_1_value = get(wantedTo))) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
				button.disabled = !get(mayChange) || !get(wantedFrom);
			});
			event("submit", form, add);
			delegated("change", select, (e) => set(from, e.currentTarget.value, true));
			delegated("change", select_1, (e) => set(to, e.currentTarget.value, true));
			append($$anchor, fragment_5);
		};
		if_block(node_6, ($$render) => {
			if (get(isInline)) $$render(consequent_3);
			else $$render(alternate, -1);
		});
		append($$anchor, fragment_1);
	};
	if_block(node_1, ($$render) => {
		if (get(inputs).length === 0) $$render(consequent);
		else $$render(alternate_1, -1);
	});
	append($$anchor, fragment);
	pop();
}
delegate(["change"]);
export { InputForm as default };
