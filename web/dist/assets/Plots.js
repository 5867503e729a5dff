import { $t as reset, At as from_html, Bt as user_effect, Dt as set_text, Gt as sibling, Ht as child, I as short, It as get, J as seriesNames, Jt as state, M as count, Nt as delegate, Ot as append, Pt as delegated, St as each, Tt as if_block, Ut as first_child, Wt as only_child, Xt as pop, Yt as user_derived, Zt as push, _t as set_style, dt as set_attribute, ft as set_checked, gt as select_option, h as saveFile, ht as init_select, k as place, lt as bind_value, n as past, qt as set, r as follow, t as Past, tn as to_array, ut as remove_input_defaults, z as run, zt as template_effect } from "./page.js";
import { t as Chart } from "./Chart.js";
import { t as Points } from "./Points.js";
// src/model/pairs.ts
function pairs(x, y) {
	const rows = x.flatMap((value, i) => value !== null && (y[i] ?? null) !== null ? [i] : []);
	const last = Math.max(1, rows.length - 1);
	return new Map([
		["x", Float64Array.from(rows, (i) => x[i])],
		["y", Float64Array.from(rows, (i) => y[i])],
		["age", Float64Array.from(rows, (_, n) => n / last)]
	]);
}
function correlation(points) {
	const [x, y] = [points.get("x"), points.get("y")];
	const n = x.length;
	const mean = (values) => values.reduce((sum, value) => sum + value, 0) / n;
	const [mx, my] = [mean(x), mean(y)];
	let [xx, yy, xy] = [
		0,
		0,
		0
	];
	for (let i = 0; i < n; i++) {
		const [dx, dy] = [x[i] - mx, y[i] - my];
		xx += dx * dx;
		yy += dy * dy;
		xy += dx * dy;
	}
	return n > 1 && xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : null;
}
// src/screens/plots/Against.svelte
var root$1 = from_html(`<option> </option>`);
var root_1$1 = from_html(`<label class="svelte-1mpiuah"> <select class="svelte-1mpiuah"></select></label>`);
var root_2$1 = from_html(`<p class="alarm" role="alert"> </p>`);
var root_3$1 = from_html(`<p class="dim">Choose values on the left.</p>`);
var root_4$1 = from_html(`<p class="up dim"> </p> <!> <p class="across dim svelte-1mpiuah"> </p>`, 1);
var root_5$1 = from_html(`<div class="against svelte-1mpiuah"><div class="axes svelte-1mpiuah"><!> <span class="dim" data-testid="pairs"> </span></div> <!> <!></div>`);
function Against($$anchor, $$props) {
	push($$props, true);
	const x = user_derived(() => $$props.chosen.includes(place.get("x")) ? place.get("x") : $$props.chosen[0] ?? "");
	const y = user_derived(() => $$props.chosen.includes(place.get("y")) ? place.get("y") : $$props.chosen.find((name) => name !== get(x)) ?? get(x));
	let points = state(pairs([], []));
	let problem = state("");
	const related = user_derived(() => correlation(get(points)));
	const named = (name) => $$props.unitOf.get(name) ? `${name} (${$$props.unitOf.get(name)})` : name;
	const AXES = {
		x: "x",
		y: "y",
		colour: "age"
	};
	const CHOICES = [["x", "Across"], ["y", "Up"]];
	user_effect(() => {
		if (get(x) === "") return;
		return follow(get(x) === get(y) ? [get(x)] : [get(x), get(y)], $$props.step, $$props.spanMs, (series, failure) => {
			set(problem, failure, true);
			const [first = [], second = first] = series.columns;
			set(points, pairs(first, second));
		});
	});
	var div = root_5$1();
	var div_1 = child(div);
	var node = child(div_1);
	each(node, 17, () => CHOICES, ([key, title]) => key, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 2));
		let key = () => get($$array)[0];
		let title = () => get($$array)[1];
		var label = root_1$1();
		var text = child(label);
		var select = sibling(text);
		each(select, 20, () => $$props.chosen, (name) => name, ($$anchor, name) => {
			var option = root$1();
			var text_1 = only_child(option, true);
			var option_value = {};
			template_effect(() => {
				set_text(text_1, name);
				if (option_value !== (option_value = name)) option.__value = option_value;
			});
			append($$anchor, option);
		});
		reset(select);
		var select_value;
		init_select(select);
		reset(label);
		template_effect(() => {
			set_text(text, `${title() ?? ""} `);
			if (select_value !== (select_value = key() === "x" ? get(x) : get(y))) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		});
		delegated("change", select, (e) => place.set({ [key()]: e.currentTarget.value }));
		append($$anchor, label);
	});
	var span = sibling(node, 2);
	var text_2 = only_child(span);
	reset(div_1);
	var node_1 = sibling(div_1, 2);
	var consequent = ($$anchor) => {
		var p = root_2$1();
		var text_3 = only_child(p, true);
		template_effect(() => set_text(text_3, get(problem)));
		append($$anchor, p);
	};
	if_block(node_1, ($$render) => {
		if (get(problem)) $$render(consequent);
	});
	var node_2 = sibling(node_1, 2);
	var consequent_1 = ($$anchor) => {
		var p_1 = root_3$1();
		append($$anchor, p_1);
	};
	var alternate = ($$anchor) => {
		var fragment = root_4$1();
		var p_2 = first_child(fragment);
		var text_4 = only_child(p_2, true);
		var node_3 = sibling(p_2, 2);
		{
			let $0 = user_derived(() => get(y));
			let $1 = user_derived(() => get(x));
			let $2 = user_derived(() => get(points).get("x")?.length ?? 0);
			Points(node_3, {
				get columns() {
					return get(points);
				},
				get axes() {
					return AXES;
				},
				get label() {
					return `${get($0) ?? ""} against ${get($1) ?? ""}: ${get($2) ?? ""} points`;
				}
			});
		}
		var p_3 = sibling(node_3, 2);
		var text_5 = only_child(p_3, true);
		template_effect(($0, $1) => {
			set_text(text_4, $0);
			set_text(text_5, $1);
		}, [() => named(get(y)), () => named(get(x))]);
		append($$anchor, fragment);
	};
	if_block(node_2, ($$render) => {
		if ($$props.chosen.length === 0) $$render(consequent_1);
		else $$render(alternate, -1);
	});
	reset(div);
	template_effect(($0, $1) => set_text(text_2, `${$0 ?? ""} moments${$1 ?? ""}`), [() => count(get(points).get("x")?.length ?? 0), () => get(related) === null ? "" : ` · correlation ${short(get(related), 3)}`]);
	append($$anchor, div);
	pop();
}
delegate(["change"]);
// src/screens/plots/Plots.svelte
var root = from_html(`<label class="svelte-1wora1s"><input type="checkbox"/><span class="svelte-1wora1s"> </span><small class="svelte-1wora1s"> </small></label>`);
var root_1 = from_html(`<p class="faint"> </p>`);
var root_2 = from_html(`<p class="faint missing"> </p>`);
var root_3 = from_html(`<p class="alarm" role="alert"> </p>`);
var root_4 = from_html(`<i class="svelte-1wora1s"></i> <b class="svelte-1wora1s"> </b>`, 1);
var root_5 = from_html(`<div class="plot svelte-1wora1s"><h2><em class="svelte-1wora1s"> </em> <span></span></h2> <!></div>`);
var root_6 = from_html(`<p class="dim">Choose values on the left.</p>`);
var root_7 = from_html(`<div class="charts scroll svelte-1wora1s"></div>`);
var root_8 = from_html(`<div class="plots svelte-1wora1s"><section class="panel choice svelte-1wora1s" aria-label="Values"><h1 class="svelte-1wora1s">Plots</h1> <input type="search" placeholder="Find a value" aria-label="Find a value"/> <div class="list scroll svelte-1wora1s" role="group" aria-label="Values that are kept"></div> <!></section> <section class="panel area svelte-1wora1s" aria-label="Plots"><header class="svelte-1wora1s"><span class="dim"> </span><span class="space svelte-1wora1s"></span> <div class="seg svelte-1wora1s" role="group" aria-label="What is drawn"><button type="button" class="svelte-1wora1s">Over time</button> <button type="button" class="svelte-1wora1s">One against another</button></div> <!> <button class="btn" type="button">Save as CSV</button></header> <!> <!></section></div>`);
function Plots($$anchor, $$props) {
	push($$props, true);
	const MOST = 24;
	let all = state([]);
	let problem = state("");
	let missing = state("");
	let find = state("");
	let shown = state({
		times: [],
		columns: {}
	});
	const $$d = user_derived(past), step = user_derived(() => get($$d).step), spanMs = user_derived(() => get($$d).spanMs);
	const against = user_derived(() => place.get("plot") === "against");
	const chosen = user_derived(() => (place.get("of") || "run.hz,run.cpu").split(",").filter(Boolean).slice(0, MOST));
	const words = user_derived(() => get(find).toLowerCase().split(/\s+/).filter(Boolean));
	const found = user_derived(() => get(all).filter(({ name }) => get(words).every((word) => name.toLowerCase().includes(word))).slice(0, 400));
	const unitOf = user_derived(() => new Map(get(all).map(({ name, unit }) => [name, unit])));
	const plots = user_derived(() => {
		const groups = new Map();
		for (const name of get(chosen)) {
			const key = get(unitOf).get(name) || name.slice(name.indexOf(".") + 1);
			groups.set(key, [...groups.get(key) ?? [], name]);
		}
		return [...groups].map(([unit, names]) => ({
			unit,
			names,
			key: names.join(",")
		}));
	});
	const wanted = user_derived(() => get(chosen).join(","));
	user_effect(() => {
		run.run?.id;
		seriesNames().then(({ series, problem: shortage }) => (($$value) => {
			var $$array = to_array($$value, 2);
			set(all, $$array[0]);
			set(missing, $$array[1], true);
			return $$value;
		})([series, shortage ?? ""]), (failure) => set(problem, failure.message, true));
	});
	user_effect(() => {
		if (get(wanted) === "" || get(against)) return;
		return follow(get(wanted).split(","), get(step), get(spanMs), (series, failure) => {
			set(problem, failure, true);
			const { times, columns } = series.thinned(1200);
			set(shown, {
				times,
				columns: Object.fromEntries(series.names.map((name, i) => [name, columns[i]]))
			});
		});
	});
	function turn(name) {
		const next = get(chosen).includes(name) ? get(chosen).filter((other) => other !== name) : [...get(chosen), name];
		place.set({ of: next.join(",") || "," });
	}
	function save() {
		const rows = get(shown).times.map((time, i) => [new Date(time).toISOString(), ...get(chosen).map((name) => get(shown).columns[name]?.[i] ?? "")].join(","));
		saveFile(new Blob([`time,${get(chosen).join(",")}\n${rows.join("\n")}\n`], { type: "text/csv" }), "livetime.csv");
	}
	var div = root_8();
	var section = child(div);
	var input = sibling(child(section), 2);
	remove_input_defaults(input);
	var div_1 = sibling(input, 2);
	each(div_1, 21, () => get(found), ({ name, unit }) => name, ($$anchor, $$item) => {
		let name = () => get($$item).name;
		let unit = () => get($$item).unit;
		var label = root();
		var input_1 = child(label);
		remove_input_defaults(input_1);
		var span = sibling(input_1);
		var text = only_child(span, true);
		var small = sibling(span);
		var text_1 = only_child(small, true);
		reset(label);
		template_effect(($0, $1) => {
			set_checked(input_1, $0);
			input_1.disabled = $1;
			set_attribute(span, "title", name());
			set_text(text, name());
			set_text(text_1, unit());
		}, [() => get(chosen).includes(name()), () => !get(chosen).includes(name()) && get(chosen).length >= MOST]);
		delegated("change", input_1, () => turn(name()));
		append($$anchor, label);
	}, ($$anchor) => {
		var p = root_1();
		var text_2 = only_child(p, true);
		template_effect(() => set_text(text_2, get(all).length === 0 ? "Asking the server what it keeps …" : "No value is called like that."));
		append($$anchor, p);
	});
	reset(div_1);
	var node = sibling(div_1, 2);
	var consequent = ($$anchor) => {
		var p_1 = root_2();
		var text_3 = only_child(p_1, true);
		template_effect(() => set_text(text_3, get(missing)));
		append($$anchor, p_1);
	};
	if_block(node, ($$render) => {
		if (get(missing)) $$render(consequent);
	});
	reset(section);
	var section_1 = sibling(section, 2);
	var header = child(section_1);
	var span_1 = child(header);
	var text_4 = only_child(span_1);
	var div_2 = sibling(span_1, 3);
	var button = child(div_2);
	var button_1 = sibling(button, 2);
	reset(div_2);
	var node_1 = sibling(div_2, 2);
	Past(node_1, {});
	var button_2 = sibling(node_1, 2);
	reset(header);
	var node_2 = sibling(header, 2);
	var consequent_1 = ($$anchor) => {
		var p_2 = root_3();
		var text_5 = only_child(p_2, true);
		template_effect(() => set_text(text_5, get(problem)));
		append($$anchor, p_2);
	};
	if_block(node_2, ($$render) => {
		if (get(problem)) $$render(consequent_1);
	});
	var node_3 = sibling(node_2, 2);
	var consequent_2 = ($$anchor) => {
		Against($$anchor, {
			get chosen() {
				return get(chosen);
			},
			get unitOf() {
				return get(unitOf);
			},
			get step() {
				return get(step);
			},
			get spanMs() {
				return get(spanMs);
			}
		});
	};
	var alternate = ($$anchor) => {
		var div_3 = root_7();
		each(div_3, 21, () => get(plots), ({ unit, names, key }) => key, ($$anchor, $$item) => {
			let unit = () => get($$item).unit;
			let names = () => get($$item).names;
			let key = () => get($$item).key;
			var div_4 = root_5();
			var h2 = child(div_4);
			var em = child(h2);
			var text_6 = only_child(em, true);
			var span_2 = sibling(em, 2);
			each(span_2, 22, names, (name) => name, ($$anchor, name, i) => {
				var fragment_1 = root_4();
				var i_1 = first_child(fragment_1);
				let styles;
				var text_7 = sibling(i_1);
				var b = sibling(text_7);
				var text_8 = only_child(b, true);
				template_effect(($0) => {
					styles = set_style(i_1, "", styles, { background: `var(--s${get(i) % 6 + 1})` });
					set_text(text_7, `${name ?? ""} `);
					set_text(text_8, $0);
				}, [() => short(get(shown).columns[name]?.at(-1))]);
				append($$anchor, fragment_1);
			});
			reset(span_2);
			reset(h2);
			var node_4 = sibling(h2, 2);
			{
				let $0 = user_derived(() => names().map((name) => get(shown).columns[name] ?? []));
				let $1 = user_derived(() => unit() === "Hz");
				Chart(node_4, {
					get times() {
						return get(shown).times;
					},
					get columns() {
						return get($0);
					},
					get names() {
						return names();
					},
					get spanMs() {
						return get(spanMs);
					},
					get label() {
						return key();
					},
					get fromZero() {
						return get($1);
					}
				});
			}
			reset(div_4);
			template_effect(() => set_text(text_6, unit()));
			append($$anchor, div_4);
		}, ($$anchor) => {
			var p_3 = root_6();
			append($$anchor, p_3);
		});
		reset(div_3);
		append($$anchor, div_3);
	};
	if_block(node_3, ($$render) => {
		if (get(against)) $$render(consequent_2);
		else $$render(alternate, -1);
	});
	reset(section_1);
	reset(div);
	template_effect(() => {
		set_text(text_4, `${get(chosen).length ?? ""} of ${get(all).length ?? ""} values`);
		set_attribute(button, "aria-pressed", !get(against));
		set_attribute(button_1, "aria-pressed", get(against));
		button_2.disabled = get(against);
	});
	bind_value(input, () => get(find), ($$value) => set(find, $$value));
	delegated("click", button, () => place.set({ plot: "" }));
	delegated("click", button_1, () => place.set({ plot: "against" }));
	delegated("click", button_2, save);
	append($$anchor, div);
	pop();
}
delegate(["change", "click"]);
export { Plots as default };
