import { $ as readTable, $t as reset, A as ago, At as from_html, B as ApiError, Bt as user_effect, Ct as index, D as isFull, Dt as set_text, Ft as event, Gt as sibling, Ht as child, I as short, It as get, Jt as state, Kt as proxy, M as count, Mt as text, N as flow, Nt as delegate, Ot as append, Pt as delegated, Q as readPicture, Qt as next, St as each, Tt as if_block, Ut as first_child, Vt as $window, Wt as only_child, Xt as pop, Yt as user_derived, Zt as push, d as ticks, dt as set_attribute, et as atHost, gt as select_option, ht as init_select, i as Picture, j as bytes, jt as from_svg, k as place, kt as comment, ot as bind_this, pt as set_value, q as request, qt as set, rt as onDestroy, tn as to_array, ut as remove_input_defaults, vt as set_class, wt as key, z as run, zt as template_effect } from "./page.js";
// src/link/recorded.ts
var json = async (path) => await (await request("GET", path)).json();
function address(what, place) {
	return `/api/v1/runs/${what}?${new URLSearchParams(Object.entries(place).map(([key, value]) => [key, String(value)]))}`;
}
var recorded = () => json("/api/v1/runs");
var written = () => json("/api/v1/files");
var summary = (path) => json(address("summary", { path }));
var eventOf = (path, detector, event) => json(address("event", {
	path,
	detector,
	event
}));
var download = (path) => atHost(address("download", { path }));
var pictureOf = (path, detector, event) => address("picture", {
	path,
	detector,
	event
});
async function curve(picture) {
	return readPicture(await (await request("GET", `${picture}&as=raw`)).arrayBuffer());
}
async function table(picture) {
	return readTable(await (await request("GET", `${picture}&as=raw`)).arrayBuffer());
}
// src/model/recorded.ts
var FAULTS = {
	missing: ["note", "The detector was not read at this event. That is no loss."],
	damaged: ["warn", "There is only a damaged picture."],
	lost: ["alarm", "No picture: the recorder noted damage, and this may be the reason."],
	broken: ["alarm", "No picture: the data are not what their format wants."],
	unreadable: ["alarm", "No picture: this part of the file cannot be read."],
	"no memory": ["alarm", "No picture: it needs more memory than the server has for it."]
};
function verdict(event) {
	if (event.fault) {
		const [level, text] = FAULTS[event.fault.kind] ?? ["alarm", "No picture."];
		return {
			level,
			text,
			details: [event.fault.why]
		};
	}
	const picture = event.picture;
	if (!picture || picture.condition === "whole") return {
		level: "good",
		text: "Whole: the recorder noted no damage.",
		details: []
	};
	const details = picture.damaged.map(({ panel, damage }) => `${(picture.panels ?? 1) > 1 ? `panel ${panel}: ` : ""}${damage}`);
	if (picture.condition === "partial" && details.length === 0) return {
		level: "warn",
		text: `A part of the picture is missing: ${picture.panels ?? 0} panels are there.`,
		details
	};
	return {
		level: "warn",
		text: picture.condition === "partial" ? "A part of the picture is damaged or missing." : "The whole picture is damaged.",
		details
	};
}
var shapeInWords = (shape) => shape?.length ? shape.join(" × ") : "–";
function shownAs(detector) {
	if (!detector) return "nothing";
	if (detector.dtype === null && detector.shape !== null) return "table";
	return (detector.shape?.length ?? 2) > 1 ? "picture" : "curve";
}
function panelsInWords({ shape, across }) {
	const panels = shape.slice(0, -2).reduce((all, n) => all * n, 1);
	return shape.length > 2 && panels > 1 ? `${count(panels)} panels, ${across} in a row` : null;
}
var usualDetector = (detectors) => (detectors.find((d) => d.pictures && d.shape) ?? detectors.find((d) => d.shape) ?? detectors[0])?.name ?? "";
var FORMATS = {
	xtc1: "XTC of LCLS-I",
	xtc2: "XTC of LCLS-II",
	hdf5: "HDF5",
	npy: "array of NumPy"
};
function summaryInWords(summary) {
	const size = (summary.files ?? []).reduce((all, file) => all + (file.bytes ?? 0), 0);
	const files = summary.files?.length ?? 0;
	return [
		FORMATS[summary.format],
		...summary.format === "npy" ? [] : [`${count(summary.events)} ${summary.events === 1 ? "event" : "events"}`],
		...files > 0 ? [`${bytes(size)} in ${count(files)} ${files === 1 ? "file" : "files"}`] : [],
		...summary.event_rate_hz ? [`${short(summary.event_rate_hz)} Hz`] : [],
		...summary.growing ? ["being written"] : []
	];
}
function stepAt(summary, event) {
	const steps = (summary.transitions ?? []).filter((t) => t.change === "BeginStep");
	if (steps.length < 2) return null;
	const number = steps.filter((t) => t.event <= event).length;
	return number > 0 ? {
		number,
		of: steps.length,
		first: steps[number - 1].event
	} : null;
}
function smallInWords({ values, count: all }) {
	if (values.length === 0) return all > 0 ? `${count(all)} values` : "cannot be read";
	const one = (value) => typeof value === "number" ? Number.isInteger(value) ? String(value).replace("-", "−") : short(value, 6) : value ?? "–";
	return values.map(one).join(", ") + (all > values.length ? ` … (${count(all)})` : "");
}
function utc(ns) {
	if (!ns) return "–";
	const micros = Math.round(ns / 1e3);
	const at = new Date(Math.floor(micros / 1e3));
	if (!Number.isFinite(at.getTime())) return "–";
	return at.toISOString().replace("T", " ").replace("Z", `${String(micros % 1e3).padStart(3, "0")} UTC`);
}
function folderInShort(path, parts = 2) {
	const names = path.split("/").filter(Boolean);
	return names.length > parts ? `…/${names.slice(-parts).join("/")}` : path;
}
var Growth = class {
	known = new Map();
	rate(path, size, at) {
		if (size === null) return null;
		const before = this.known.get(path);
		if (before && at - before.at < 500) return before.rate;
		const rate = before ? Math.max(0, (size - before.bytes) * 1e3 / (at - before.at)) : null;
		this.known.set(path, {
			bytes: size,
			at,
			rate
		});
		return rate;
	}
};
// src/screens/runs/Analysis.svelte
var root$4 = from_html(`<button class="btn" type="button"> </button>`);
var root_1$4 = from_html(`<tr><th scope="row" class="svelte-gwhxjy"> </th><td class="dim svelte-gwhxjy"> </td><td class="n svelte-gwhxjy"> </td><td class="n svelte-gwhxjy"> </td><td class="n svelte-gwhxjy"> </td><td class="svelte-gwhxjy"><!></td></tr>`);
var root_2$4 = from_html(`<tr><th scope="row" class="svelte-gwhxjy"> </th><td class="dim svelte-gwhxjy">array</td><td class="svelte-gwhxjy"></td><td class="svelte-gwhxjy"></td><td class="svelte-gwhxjy"></td><td class="svelte-gwhxjy"><button class="btn" type="button"> </button></td></tr>`);
var root_3$4 = from_html(`<figure class="svelte-gwhxjy"><img loading="lazy" class="svelte-gwhxjy"/><figcaption class="svelte-gwhxjy"> </figcaption></figure>`);
var root_4$4 = from_html(`<section class="panel scroll analysis"><h2 class="name svelte-gwhxjy"> </h2> <p class="dim svelte-gwhxjy"> </p> <table class="svelte-gwhxjy"><thead class="svelte-gwhxjy"><tr><th scope="col" class="svelte-gwhxjy">result</th><th scope="col" class="svelte-gwhxjy">shape</th><th scope="col" class="n svelte-gwhxjy">lowest</th><th scope="col" class="n svelte-gwhxjy">mean</th><th scope="col" class="n svelte-gwhxjy">highest</th><th scope="col" class="svelte-gwhxjy"><span class="quiet">open</span></th></tr></thead><tbody><!><!></tbody></table> <div class="images svelte-gwhxjy"></div></section>`);
function Analysis($$anchor, $$props) {
	push($$props, true);
	const results = user_derived(() => $$props.found.found.results ?? []);
	const stem = (name) => name.replace(/\.[^.]*$/, "");
	const arrayOf = (result) => $$props.found.files.find((f) => f.kind === "array" && stem(f.name) === result);
	const images = user_derived(() => $$props.found.files.filter((f) => f.kind === "image"));
	const alone = user_derived(() => $$props.found.files.filter((f) => f.kind === "array" && !get(results).some((result) => result.name === stem(f.name))));
	const show = (file) => place.set({
		file: file.path,
		detector: "",
		event: "",
		zoom: "",
		range: "",
		x: "",
		y: ""
	});
	var section = root_4$4();
	var h2 = child(section);
	var text = only_child(h2, true);
	var p = sibling(h2, 2);
	var text_1 = only_child(p);
	var table = sibling(p, 2);
	var tbody = sibling(child(table));
	var node = child(tbody);
	each(node, 17, () => get(results), (result) => result.name, ($$anchor, result) => {
		const file = user_derived(() => arrayOf(get(result).name));
		var tr = root_1$4();
		var th = child(tr);
		var text_2 = only_child(th, true);
		var td = sibling(th);
		var text_3 = only_child(td, true);
		var td_1 = sibling(td);
		var text_4 = only_child(td_1, true);
		var td_2 = sibling(td_1);
		var text_5 = only_child(td_2, true);
		var td_3 = sibling(td_2);
		var text_6 = only_child(td_3, true);
		var td_4 = sibling(td_3);
		var node_1 = child(td_4);
		var consequent = ($$anchor) => {
			var button = root$4();
			var text_7 = only_child(button);
			template_effect(() => set_text(text_7, `Open ${get(result).name ?? ""}`));
			delegated("click", button, () => show(get(file)));
			append($$anchor, button);
		};
		if_block(node_1, ($$render) => {
			if (get(file)) $$render(consequent);
		});
		reset(td_4);
		reset(tr);
		template_effect(($0, $1, $2, $3) => {
			set_text(text_2, get(result).name);
			set_text(text_3, $0);
			set_text(text_4, $1);
			set_text(text_5, $2);
			set_text(text_6, $3);
		}, [
			() => get(result).value !== void 0 ? "number" : get(result).rows !== void 0 ? `${count(get(result).rows)} rows` : shapeInWords(get(result).shape),
			() => get(result).value === void 0 ? short(get(result).lowest) : "",
			() => short(get(result).value ?? get(result).mean),
			() => get(result).value === void 0 ? short(get(result).highest) : ""
		]);
		append($$anchor, tr);
	});
	var node_2 = sibling(node);
	each(node_2, 17, () => get(alone), (file) => file.path, ($$anchor, file) => {
		var tr_1 = root_2$4();
		var th_1 = child(tr_1);
		var text_8 = only_child(th_1, true);
		var td_5 = sibling(th_1, 5);
		var button_1 = child(td_5);
		var text_9 = only_child(button_1);
		reset(td_5);
		reset(tr_1);
		template_effect(() => {
			set_text(text_8, get(file).name);
			set_text(text_9, `Open ${get(file).name ?? ""}`);
		});
		delegated("click", button_1, () => show(get(file)));
		append($$anchor, tr_1);
	});
	reset(tbody);
	reset(table);
	var div = sibling(table, 2);
	each(div, 21, () => get(images), (image) => image.path, ($$anchor, image) => {
		var figure = root_3$4();
		var img = child(figure);
		var figcaption = sibling(img);
		var text_10 = only_child(figcaption, true);
		reset(figure);
		template_effect(($0, $1) => {
			set_attribute(img, "src", $0);
			set_attribute(img, "alt", `The result ${$1 ?? ""}, drawn by the analysis`);
			set_text(text_10, get(image).name);
		}, [() => download(get(image).path), () => stem(get(image).name)]);
		append($$anchor, figure);
	});
	reset(div);
	reset(section);
	template_effect(($0) => {
		set_attribute(section, "aria-label", `The analysis ${$$props.found.name ?? ""}`);
		set_text(text, $$props.found.name);
		set_text(text_1, `${$$props.found.found.detector ?? "an analysis" ?? ""}${$0 ?? ""}
    · ${$$props.found.folder ?? ""}`);
	}, [() => $$props.found.found.used != null ? ` · ${count($$props.found.found.used)} of ${count($$props.found.found.events)} events used` : ""]);
	append($$anchor, section);
	pop();
}
delegate(["click"]);
// src/model/curve.ts
function rangeOf(values, room = 0) {
	let [low, high] = [Infinity, -Infinity];
	for (let i = 0; i < values.length; i++) {
		const value = values[i];
		if (!Number.isFinite(value)) continue;
		if (value < low) low = value;
		if (value > high) high = value;
	}
	if (low > high) return {
		low: 0,
		high: 1
	};
	if (low === high) return {
		low: low - .5,
		high: high + .5
	};
	const more = (high - low) * room;
	return {
		low: low - more,
		high: high + more
	};
}
function pathOf(x, y, xs, ys, width, height) {
	const px = (value) => (value - xs.low) / (xs.high - xs.low) * width;
	const py = (value) => height - (value - ys.low) / (ys.high - ys.low) * height;
	const each = Math.max(1, Math.floor(y.length / Math.max(1, width)));
	const parts = [];
	let pen = "M";
	const to = (i) => {
		parts.push(`${pen}${px(x[i]).toFixed(1)} ${py(y[i]).toFixed(1)}`);
		pen = "L";
	};
	for (let from = 0; from < y.length; from += each) {
		let [low, high] = [-1, -1];
		for (let i = from; i < Math.min(y.length, from + each); i++) {
			if (!Number.isFinite(y[i]) || !Number.isFinite(x[i])) continue;
			if (low < 0 || y[i] < y[low]) low = i;
			if (high < 0 || y[i] > y[high]) high = i;
		}
		if (low < 0) pen = "M";
		else if (low === high) to(low);
		else [Math.min(low, high), Math.max(low, high)].forEach(to);
	}
	return parts.join("");
}
function nearest(x, at) {
	let best = 0;
	for (let i = 1; i < x.length; i++) if (Math.abs(x[i] - at) < Math.abs(x[best] - at)) best = i;
	return best;
}
// src/screens/runs/Columns.svelte
var root$3 = from_html(`<option> </option>`);
var root_1$3 = from_html(`<label class="svelte-1glzizb">x <select><option>row</option><!></select></label> <label class="svelte-1glzizb">y <select></select></label>`, 1);
var root_2$3 = from_html(`<span data-testid="point"> <b> </b></span>`);
var root_3$3 = from_html(`<p class="alarm" role="alert"> </p>`);
var root_4$3 = from_svg(`<path class="grid svelte-1glzizb"></path><text text-anchor="end" class="svelte-1glzizb"> </text>`, 1);
var root_5$2 = from_svg(`<text text-anchor="middle" class="svelte-1glzizb"> </text>`);
var root_6$2 = from_svg(`<circle r="3.5" class="svelte-1glzizb"></circle>`);
var root_7$2 = from_html(`<th scope="col" class="svelte-1glzizb"> </th>`);
var root_8$2 = from_html(`<td class="svelte-1glzizb"> </td>`);
var root_9$2 = from_html(`<tr><th scope="row" class="svelte-1glzizb"></th><!></tr>`);
var root_10$2 = from_html(`<p class="dim"> </p>`);
var root_11$2 = from_html(`<div class="scroll rows" tabindex="0" role="region" aria-label="Rows"><table class="svelte-1glzizb"><thead><tr><th scope="col" class="svelte-1glzizb">row</th><!></tr></thead><tbody></tbody></table> <!></div>`);
var root_12$2 = from_html(`<div><header class="svelte-1glzizb"><!> <span class="dim"> </span> <!></header> <!> <div class="room svelte-1glzizb"><svg role="img" class="svelte-1glzizb"><!><!><path class="line svelte-1glzizb"></path><!></svg></div> <!></div>`);
function Columns($$anchor, $$props) {
	push($$props, true);
	const LISTED = 200;
	const [LEFT, BOTTOM] = [64, 24];
	let columns = state(new Map());
	let problem = state("");
	let box = state(proxy({
		width: 300,
		height: 200
	}));
	let room = state(void 0);
	let hovered = state(null);
	user_effect(() => {
		const [asked, what] = [$$props.source, $$props.kind];
		(what === "table" ? ofTable(asked) : ofCurve(asked)).then((found) => asked === $$props.source && (($$value) => {
			var $$array = to_array($$value, 2);
			set(columns, $$array[0]);
			set(problem, $$array[1], true);
			return $$value;
		})([found, ""]), (failure) => asked === $$props.source && (($$value) => {
			var $$array_1 = to_array($$value, 2);
			set(columns, $$array_1[0]);
			set(problem, $$array_1[1], true);
			return $$value;
		})([new Map(), failure.message]));
	});
	const plain = (values) => typeof values[0] === "bigint" ? Float64Array.from(values, Number) : values;
	async function ofCurve(from) {
		const { pixels } = await curve(from);
		return new Map([["value", plain(pixels)]]);
	}
	async function ofTable(from) {
		return new Map([...(await table(from)).columns].map(([name, values]) => [name, plain(values)]));
	}
	const names = user_derived(() => [...get(columns).keys()]);
	const rows = user_derived(() => get(columns).get(get(names)[0] ?? "")?.length ?? 0);
	const index$1 = user_derived(() => Float64Array.from({ length: get(rows) }, (_, i) => i));
	const chosen = (key, usual) => get(names).includes(place.get(key)) ? place.get(key) : usual;
	const xName = user_derived(() => $$props.kind === "curve" ? "" : chosen("x", get(names).length > 1 ? get(names)[0] : ""));
	const yName = user_derived(() => $$props.kind === "curve" ? "value" : chosen("y", get(names).at(-1) ?? ""));
	const x = user_derived(() => get(columns).get(get(xName)) ?? get(index$1));
	const y = user_derived(() => get(columns).get(get(yName)) ?? new Float64Array());
	const xs = user_derived(() => rangeOf(get(x)));
	const ys = user_derived(() => rangeOf(get(y), .05));
	const size = user_derived(() => ({
		width: Math.max(40, get(box).width - LEFT - 12),
		height: Math.max(40, get(box).height - BOTTOM - 10)
	}));
	const path = user_derived(() => pathOf(get(x), get(y), get(xs), get(ys), get(size).width, get(size).height));
	const px = (value) => LEFT + (value - get(xs).low) / (get(xs).high - get(xs).low) * get(size).width;
	const py = (value) => 10 + get(size).height - (value - get(ys).low) / (get(ys).high - get(ys).low) * get(size).height;
	const extent = user_derived(() => rangeOf(get(y)));
	const label = user_derived(() => get(rows) === 0 ? `${$$props.title}: no values` : `${$$props.title}: ${count(get(rows))} values from ${short(get(extent).low)} to ${short(get(extent).high)}`);
	user_effect(() => {
		if (!get(room)) return;
		const watched = get(room);
		const watch = new ResizeObserver(() => set(box, {
			width: watched.clientWidth,
			height: watched.clientHeight
		}, true));
		watch.observe(watched);
		return () => watch.disconnect();
	});
	function hover(event) {
		const at = get(xs).low + (event.offsetX - LEFT) / get(size).width * (get(xs).high - get(xs).low);
		set(hovered, get(rows) > 0 ? nearest(get(x), at) : null, true);
	}
	var div = root_12$2();
	let classes;
	var header = child(div);
	var node = child(header);
	var consequent = ($$anchor) => {
		var fragment = root_1$3();
		var label_1 = first_child(fragment);
		var select = sibling(child(label_1));
		var option = child(select);
		option.value = option.__value = "";
		var node_1 = sibling(option);
		each(node_1, 16, () => get(names), (name) => name, ($$anchor, name) => {
			var option_1 = root$3();
			var text = only_child(option_1, true);
			var option_1_value = {};
			template_effect(() => {
				set_text(text, name);
				if (option_1_value !== (option_1_value = name)) option_1.__value = option_1_value;
			});
			append($$anchor, option_1);
		});
		reset(select);
		var select_value;
		init_select(select);
		reset(label_1);
		var label_2 = sibling(label_1, 2);
		var select_1 = sibling(child(label_2));
		each(select_1, 20, () => get(names), (name) => name, ($$anchor, name) => {
			var option_2 = root$3();
			var text_1 = only_child(option_2, true);
			var option_2_value = {};
			template_effect(() => {
				set_text(text_1, name);
				if (option_2_value !== (option_2_value = name)) option_2.__value = option_2_value;
			});
			append($$anchor, option_2);
		});
		reset(select_1);
		var select_1_value;
		init_select(select_1);
		reset(label_2);
		template_effect(() => {
			if (select_value !== (select_value = get(xName))) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
			if (select_1_value !== (select_1_value = get(yName))) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
		});
		delegated("change", select, (e) => place.set({ x: e.currentTarget.value }));
		delegated("change", select_1, (e) => place.set({ y: e.currentTarget.value }));
		append($$anchor, fragment);
	};
	if_block(node, ($$render) => {
		if ($$props.kind === "table") $$render(consequent);
	});
	var span = sibling(node, 2);
	var text_2 = only_child(span, true);
	var node_2 = sibling(span, 2);
	var consequent_1 = ($$anchor) => {
		var span_1 = root_2$3();
		var text_3 = child(span_1);
		var b = sibling(text_3);
		var text_4 = only_child(b, true);
		reset(span_1);
		template_effect(($0, $1) => {
			set_text(text_3, `${$0 ?? ""}: `);
			set_text(text_4, $1);
		}, [() => short(get(x)[get(hovered)], 6), () => short(get(y)[get(hovered)], 6)]);
		append($$anchor, span_1);
	};
	if_block(node_2, ($$render) => {
		if (get(hovered) !== null && get(hovered) < get(rows)) $$render(consequent_1);
	});
	reset(header);
	var node_3 = sibling(header, 2);
	var consequent_2 = ($$anchor) => {
		var p = root_3$3();
		var text_5 = only_child(p, true);
		template_effect(() => set_text(text_5, get(problem)));
		append($$anchor, p);
	};
	if_block(node_3, ($$render) => {
		if (get(problem)) $$render(consequent_2);
	});
	var div_1 = sibling(node_3, 2);
	var svg = child(div_1);
	var node_4 = child(svg);
	each(node_4, 16, () => ticks(get(ys).low, get(ys).high, get(size).height / 40), (tick) => tick, ($$anchor, tick) => {
		var fragment_1 = root_4$3();
		var path_1 = first_child(fragment_1);
		var text_6 = sibling(path_1);
		var text_7 = only_child(text_6, true);
		template_effect(($0, $1, $2) => {
			set_attribute(path_1, "d", `M${LEFT ?? ""} ${$0 ?? ""}h${get(size).width ?? ""}`);
			set_attribute(text_6, "x", LEFT - 8);
			set_attribute(text_6, "y", $1);
			set_text(text_7, $2);
		}, [
			() => py(tick),
			() => py(tick) + 4,
			() => short(tick)
		]);
		append($$anchor, fragment_1);
	});
	var node_5 = sibling(node_4);
	each(node_5, 16, () => ticks(get(xs).low, get(xs).high, get(size).width / 90), (tick) => tick, ($$anchor, tick) => {
		var text_8 = root_5$2();
		var text_9 = only_child(text_8, true);
		template_effect(($0, $1) => {
			set_attribute(text_8, "x", $0);
			set_attribute(text_8, "y", get(box).height - 6);
			set_text(text_9, $1);
		}, [() => px(tick), () => short(tick)]);
		append($$anchor, text_8);
	});
	var path_2 = sibling(node_5);
	var node_6 = sibling(path_2);
	var consequent_3 = ($$anchor) => {
		var circle = root_6$2();
		template_effect(($0, $1) => {
			set_attribute(circle, "cx", $0);
			set_attribute(circle, "cy", $1);
		}, [() => px(get(x)[get(hovered)]), () => py(get(y)[get(hovered)])]);
		append($$anchor, circle);
	};
	if_block(node_6, ($$render) => {
		if (get(hovered) !== null && get(hovered) < get(rows)) $$render(consequent_3);
	});
	reset(svg);
	reset(div_1);
	bind_this(div_1, ($$value) => set(room, $$value), () => get(room));
	var node_7 = sibling(div_1, 2);
	var consequent_5 = ($$anchor) => {
		var div_2 = root_11$2();
		var table_1 = child(div_2);
		var thead = child(table_1);
		var tr = child(thead);
		var node_8 = sibling(child(tr));
		each(node_8, 16, () => get(names), (name) => name, ($$anchor, name) => {
			var th = root_7$2();
			var text_10 = only_child(th, true);
			template_effect(() => set_text(text_10, name));
			append($$anchor, th);
		});
		reset(tr);
		reset(thead);
		var tbody = sibling(thead);
		each(tbody, 21, () => ({ length: Math.min(get(rows), LISTED) }), index, ($$anchor, _, i) => {
			var tr_1 = root_9$2();
			var th_1 = child(tr_1);
			th_1.textContent = i;
			var node_9 = sibling(th_1);
			each(node_9, 16, () => get(names), (name) => name, ($$anchor, name) => {
				var td = root_8$2();
				var text_11 = only_child(td, true);
				template_effect(($0) => set_text(text_11, $0), [() => short(get(columns).get(name)?.[i], 6)]);
				append($$anchor, td);
			});
			reset(tr_1);
			append($$anchor, tr_1);
		});
		reset(tbody);
		reset(table_1);
		var node_10 = sibling(table_1, 2);
		var consequent_4 = ($$anchor) => {
			var p_1 = root_10$2();
			var text_12 = only_child(p_1);
			template_effect(($0) => set_text(text_12, `The first 200 of ${$0 ?? ""} rows.`), [() => count(get(rows))]);
			append($$anchor, p_1);
		};
		if_block(node_10, ($$render) => {
			if (get(rows) > LISTED) $$render(consequent_4);
		});
		reset(div_2);
		append($$anchor, div_2);
	};
	if_block(node_7, ($$render) => {
		if ($$props.kind === "table") $$render(consequent_5);
	});
	reset(div);
	template_effect(() => {
		classes = set_class(div, 1, "columns svelte-1glzizb", null, classes, { listed: $$props.kind === "table" });
		set_text(text_2, get(problem) ? "" : get(label));
		set_attribute(svg, "width", get(box).width);
		set_attribute(svg, "height", get(box).height);
		set_attribute(svg, "aria-label", get(label));
		set_attribute(path_2, "d", get(path));
		set_attribute(path_2, "transform", `translate(${LEFT ?? ""} 10)`);
	});
	delegated("pointermove", svg, hover);
	event("pointerleave", svg, () => set(hovered, null));
	append($$anchor, div);
	pop();
}
delegate(["change", "pointermove"]);
// src/screens/runs/SmallData.svelte
var root$2 = from_html(`<input type="search" placeholder="Find a value" aria-label="Find a value" class="svelte-149uydv"/>`);
var root_1$2 = from_html(`<tr><th scope="row" class="svelte-149uydv"> </th><td class="svelte-149uydv"> </td></tr>`);
var root_2$2 = from_html(`<table class="svelte-149uydv"><caption class="svelte-149uydv"> </caption><tbody></tbody></table>`);
var root_3$2 = from_html(`<p class="dim svelte-149uydv"> </p>`);
var root_4$2 = from_html(`<h3 class="svelte-149uydv">Values <span class="faint svelte-149uydv"> </span></h3> <!> <!>`, 1);
function SmallData($$anchor, $$props) {
	push($$props, true);
	const find = user_derived(() => place.get("small").toLowerCase());
	const fitting = user_derived(() => $$props.values.filter((value) => `${value.source} ${value.name}`.toLowerCase().includes(get(find))));
	const groups = user_derived(() => [...new Set(get(fitting).map((value) => value.source))].map((source) => ({
		source,
		values: get(fitting).filter((value) => value.source === source)
	})));
	var fragment = root_4$2();
	var h3 = first_child(fragment);
	var span = sibling(child(h3));
	var text = only_child(span);
	reset(h3);
	var node = sibling(h3, 2);
	var consequent = ($$anchor) => {
		var input = root$2();
		remove_input_defaults(input);
		template_effect(($0) => set_value(input, $0), [() => place.get("small")]);
		delegated("input", input, (event) => place.set({ small: event.currentTarget.value }));
		append($$anchor, input);
	};
	if_block(node, ($$render) => {
		if ($$props.values.length > 8) $$render(consequent);
	});
	var node_1 = sibling(node, 2);
	each(node_1, 17, () => get(groups), (group) => group.source, ($$anchor, group) => {
		var table = root_2$2();
		var caption = child(table);
		var text_1 = only_child(caption, true);
		var tbody = sibling(caption);
		each(tbody, 21, () => get(group).values, index, ($$anchor, value) => {
			var tr = root_1$2();
			let classes;
			var th = child(tr);
			var text_2 = only_child(th, true);
			var td = sibling(th);
			var text_3 = only_child(td);
			reset(tr);
			template_effect(($0) => {
				classes = set_class(tr, 1, "", null, classes, { warn: get(value).damage !== 0 });
				set_text(text_2, get(value).name);
				set_text(text_3, `${$0 ?? ""}${get(value).unit ? ` ${get(value).unit}` : ""}${get(value).damage ? " (damaged)" : ""}`);
			}, [() => smallInWords(get(value))]);
			append($$anchor, tr);
		});
		reset(tbody);
		reset(table);
		template_effect(() => set_text(text_1, get(group).source || "the event"));
		append($$anchor, table);
	}, ($$anchor) => {
		var p = root_3$2();
		var text_4 = only_child(p, true);
		template_effect(() => set_text(text_4, $$props.values.length === 0 ? "None were recorded at this event." : "None of this name."));
		append($$anchor, p);
	});
	template_effect(($0, $1) => set_text(text, `${$0 ?? ""}${$1 ?? ""}`), [() => count(get(fitting).length), () => $$props.all > $$props.values.length ? ` of ${count($$props.all)}, the first` : ""]);
	append($$anchor, fragment);
	pop();
}
delegate(["input"]);
// src/screens/runs/RunView.svelte
var root$1 = from_html(`<span class="dim svelte-1mpqjx4"> </span>`);
var root_1$1 = from_html(`<span class="dim svelte-1mpqjx4">being opened …</span>`);
var root_2$1 = from_html(`<p class="dim svelte-1mpqjx4"> </p>`);
var root_3$1 = from_html(`<p class="alarm svelte-1mpqjx4" role="alert"> </p>`);
var root_4$1 = from_html(`<p class="dim svelte-1mpqjx4" role="status"> </p>`);
var root_5$1 = from_html(`<p class="alarm svelte-1mpqjx4"> </p>`);
var root_6$1 = from_html(`<option> </option>`);
var root_7$1 = from_html(`<option>none</option>`);
var root_8$1 = from_html(`<div class="steer svelte-1mpqjx4"><label class="svelte-1mpqjx4">Detector <select class="svelte-1mpqjx4"></select></label> <button class="btn" type="button" title="The event before (arrow left)">‹<span class="quiet">The event before</span></button> <input type="range" min="0" aria-label="Event" data-testid="event" class="svelte-1mpqjx4"/> <button class="btn" type="button" title="The next event (arrow right)">›<span class="quiet">The next event</span></button> <label class="number svelte-1mpqjx4">Event <input type="number" min="0" class="svelte-1mpqjx4"/> <span class="dim"> </span></label></div>`);
var root_9$1 = from_html(`<p class="dim nothing svelte-1mpqjx4"> </p>`);
var root_10$1 = from_html(`<dt class="svelte-1mpqjx4">step</dt><dd> </dd>`, 1);
var root_11$1 = from_html(`<dt class="svelte-1mpqjx4">shown as</dt><dd> </dd>`, 1);
var root_12$1 = from_html(`<dt class="svelte-1mpqjx4">array</dt><dd> </dd> <!>`, 1);
var root_13$1 = from_html(`<h3 class="svelte-1mpqjx4"> </h3> <dl class="svelte-1mpqjx4"><dt class="svelte-1mpqjx4">time</dt><dd> </dd> <!> <dt class="svelte-1mpqjx4">in the files</dt><dd> </dd> <!></dl>`, 1);
var root_14$1 = from_html(`<dl class="svelte-1mpqjx4"><dt class="svelte-1mpqjx4">array</dt><dd> </dd></dl>`);
var root_15$1 = from_html(`<div data-testid="verdict"><p class="svelte-1mpqjx4"> </p> <!></div>`);
var root_16 = from_html(`<!> <!> <!> <!>`, 1);
var root_17 = from_html(`<div><section class="panel head svelte-1mpqjx4"><header class="svelte-1mpqjx4"><h2 class="name svelte-1mpqjx4"> </h2> <!> <span class="space svelte-1mpqjx4"></span> <a class="btn"> </a></header> <!> <!> <!> <!> <!></section> <section class="panel middle svelte-1mpqjx4"><!></section> <aside class="panel scroll side svelte-1mpqjx4" aria-label="This event" tabindex="0"><!> <!></aside></div>`);
function RunView($$anchor, $$props) {
	push($$props, true);
	const AGAIN_MS = 2e3;
	let summary$1 = state(null);
	let event$1 = state(null);
	let problem = state("");
	let waiting = state("");
	let eventProblem = state("");
	const name = user_derived(() => $$props.path.split("/").at(-1) ?? $$props.path);
	const events = user_derived(() => get(summary$1)?.events ?? 0);
	const last = user_derived(() => Math.max(0, get(events) - 1));
	const number = user_derived(() => Math.min(get(last), Math.max(0, Math.floor(Number(place.get("event")) || 0))));
	const detectors = user_derived(() => get(summary$1)?.detectors ?? []);
	const detectorName = user_derived(() => (get(detectors).find((d) => d.name === place.get("detector")) ?? { name: usualDetector(get(detectors)) }).name);
	const detector = user_derived(() => get(detectors).find((d) => d.name === get(detectorName)));
	const how = user_derived(() => shownAs(get(detector)));
	const source = user_derived(() => get(detector) && get(events) > 0 ? pictureOf($$props.path, get(detector).name, get(number)) : "");
	const found = user_derived(() => get(event$1) && get(event$1).event === get(number) && get(detector) ? verdict(get(event$1)) : null);
	const step = user_derived(() => get(summary$1) && stepAt(get(summary$1), get(number)));
	const isArray = user_derived(() => get(summary$1)?.format === "npy");
	const isBusy = (failure) => failure instanceof ApiError && (failure.status === 503 || failure.status === 0);
	user_effect(() => {
		let timer;
		let ended = false;
		const load = async () => {
			let again = false;
			try {
				const next = await summary($$props.path);
				(($$value) => {
					var $$array = to_array($$value, 4);
					set(summary$1, $$array[0]);
					set(problem, $$array[1], true);
					set(waiting, $$array[2], true);
					again = $$array[3];
				})([
					next,
					"",
					"",
					next.growing
				]);
			} catch (failure) {
				again = isBusy(failure);
				const { message } = failure;
				(($$value) => {
					var $$array_1 = to_array($$value, 2);
					set(problem, $$array_1[0], true);
					set(waiting, $$array_1[1], true);
				})(again ? ["", message] : [message, ""]);
			}
			if (again && !ended) timer = setTimeout(load, AGAIN_MS);
		};
		load();
		return () => {
			ended = true;
			clearTimeout(timer);
		};
	});
	let asking = false;
	let wanted = "";
	let gone = false;
	onDestroy(() => gone = true);
	user_effect(() => {
		if (!get(summary$1) || get(events) === 0) return;
		wanted = JSON.stringify([get(detector)?.name ?? "", get(number)]);
		follow();
	});
	async function follow() {
		if (asking) return;
		asking = true;
		for (let asked = ""; asked !== wanted && !gone;) {
			asked = wanted;
			const [of, at] = JSON.parse(asked);
			try {
				await (async ($$value) => {
					var $$array_2 = to_array($$value, 2);
					set(event$1, $$array_2[0]);
					set(eventProblem, $$array_2[1], true);
				})([await eventOf($$props.path, of, at), ""]);
			} catch (failure) {
				(($$value) => {
					var $$array_3 = to_array($$value, 2);
					set(event$1, $$array_3[0]);
					set(eventProblem, $$array_3[1], true);
				})([null, failure.message]);
				if (!isBusy(failure)) continue;
				await new Promise((done) => setTimeout(done, AGAIN_MS));
				asked = "";
			}
		}
		asking = false;
	}
	const go = (to) => place.set({ event: String(Math.min(get(last), Math.max(0, to))) });
	const choose = (of) => place.set({
		detector: of,
		zoom: "",
		range: ""
	});
	function key(pressed) {
		const target = pressed.target;
		if (pressed.ctrlKey || pressed.metaKey || pressed.altKey || get(isArray)) return;
		if (target.closest("input, select, textarea, dialog, [role=application], [role=slider]")) return;
		const to = {
			ArrowLeft: get(number) - (pressed.shiftKey ? 10 : 1),
			ArrowRight: get(number) + (pressed.shiftKey ? 10 : 1),
			PageUp: get(number) - 100,
			PageDown: get(number) + 100,
			Home: 0,
			End: get(last)
		}[pressed.key];
		if (to === void 0) return;
		pressed.preventDefault();
		go(to);
	}
	var div = root_17();
	event("keydown", $window, key);
	let classes;
	var section = child(div);
	var header = child(section);
	var h2 = child(header);
	var text = only_child(h2, true);
	var node = sibling(h2, 2);
	var consequent = ($$anchor) => {
		var span = root$1();
		var text_1 = only_child(span, true);
		template_effect(($0) => set_text(text_1, $0), [() => summaryInWords(get(summary$1)).join(" · ")]);
		append($$anchor, span);
	};
	var consequent_1 = ($$anchor) => {
		var span_1 = root_1$1();
		append($$anchor, span_1);
	};
	if_block(node, ($$render) => {
		if (get(summary$1)) $$render(consequent);
		else if (!get(problem)) $$render(consequent_1, 1);
	});
	var a = sibling(node, 4);
	var text_2 = only_child(a);
	reset(header);
	var node_1 = sibling(header, 2);
	var consequent_2 = ($$anchor) => {
		var p = root_2$1();
		var text_3 = only_child(p);
		template_effect(($0, $1) => set_text(text_3, `${$0 ?? ""} to ${$1 ?? ""}`), [() => utc(get(summary$1).first_ns), () => utc(get(summary$1).last_ns)]);
		append($$anchor, p);
	};
	if_block(node_1, ($$render) => {
		if (get(summary$1)?.first_ns) $$render(consequent_2);
	});
	var node_2 = sibling(node_1, 2);
	var consequent_3 = ($$anchor) => {
		var p_1 = root_3$1();
		var text_4 = only_child(p_1, true);
		template_effect(() => set_text(text_4, get(problem)));
		append($$anchor, p_1);
	};
	if_block(node_2, ($$render) => {
		if (get(problem)) $$render(consequent_3);
	});
	var node_3 = sibling(node_2, 2);
	var consequent_4 = ($$anchor) => {
		var p_2 = root_4$1();
		var text_5 = only_child(p_2);
		template_effect(($0) => set_text(text_5, `${$0 ?? ""}. The page asks again by itself.`), [() => get(waiting).replace(/: ask again$/, "")]);
		append($$anchor, p_2);
	};
	if_block(node_3, ($$render) => {
		if (get(waiting)) $$render(consequent_4);
	});
	var node_4 = sibling(node_3, 2);
	each(node_4, 17, () => get(summary$1)?.problems ?? [], index, ($$anchor, wrong) => {
		var p_3 = root_5$1();
		var text_6 = only_child(p_3);
		template_effect(($0) => set_text(text_6, `${$0 ?? ""} cannot be read from here on: ${get(wrong).why ?? ""}`), [() => get(wrong).file.split("/").at(-1)]);
		append($$anchor, p_3);
	});
	var node_5 = sibling(node_4, 2);
	var consequent_5 = ($$anchor) => {
		var div_1 = root_8$1();
		var label = child(div_1);
		var select = sibling(child(label));
		each(select, 21, () => get(summary$1).detectors, (d) => d.name, ($$anchor, d) => {
			var option = root_6$1();
			var text_7 = only_child(option);
			var option_value = {};
			template_effect(() => {
				set_text(text_7, `${get(d).name ?? ""}${get(d).shape ? "" : " (no picture found)"}`);
				if (option_value !== (option_value = get(d).name)) option.value = (option.__value = option_value) ?? "";
			});
			append($$anchor, option);
		}, ($$anchor) => {
			var option_1 = root_7$1();
			option_1.value = option_1.__value = "";
			append($$anchor, option_1);
		});
		reset(select);
		var select_value;
		init_select(select);
		reset(label);
		var button = sibling(label, 2);
		var input = sibling(button, 2);
		remove_input_defaults(input);
		var button_1 = sibling(input, 2);
		var label_1 = sibling(button_1, 2);
		var input_1 = sibling(child(label_1));
		remove_input_defaults(input_1);
		var span_2 = sibling(input_1, 2);
		var text_8 = only_child(span_2);
		reset(label_1);
		reset(div_1);
		template_effect(($0) => {
			select.disabled = get(summary$1).detectors.length === 0;
			if (select_value !== (select_value = get(detectorName))) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
			button.disabled = get(number) === 0;
			set_attribute(input, "max", get(last));
			set_value(input, get(number));
			set_attribute(input, "aria-valuetext", `event ${get(number) ?? ""} of ${get(events) ?? ""}`);
			input.disabled = get(events) < 2;
			button_1.disabled = get(number) >= get(last);
			set_attribute(input_1, "max", get(last));
			set_value(input_1, get(number));
			set_text(text_8, `of ${$0 ?? ""}`);
		}, [() => count(get(events))]);
		delegated("change", select, (e) => choose(e.currentTarget.value));
		delegated("click", button, () => go(get(number) - 1));
		delegated("input", input, (e) => go(Number(e.currentTarget.value)));
		delegated("click", button_1, () => go(get(number) + 1));
		delegated("change", input_1, (e) => go(Number(e.currentTarget.value)));
		append($$anchor, div_1);
	};
	if_block(node_5, ($$render) => {
		if (get(summary$1) && !get(isArray)) $$render(consequent_5);
	});
	reset(section);
	var section_1 = sibling(section, 2);
	var node_6 = child(section_1);
	var consequent_6 = ($$anchor) => {
		Picture($$anchor, {
			get source() {
				return get(source);
			},
			get title() {
				return `${get(detectorName) ?? ""}, event ${get(number) ?? ""}`;
			}
		});
	};
	var consequent_7 = ($$anchor) => {
		{
			let $0 = user_derived(() => get(how) === "table" ? "table" : "curve");
			let $1 = user_derived(() => get(isArray) ? get(name) : `${get(detectorName)}, event ${get(number)}`);
			Columns($$anchor, {
				get source() {
					return get(source);
				},
				get kind() {
					return get($0);
				},
				get title() {
					return get($1);
				}
			});
		}
	};
	var consequent_8 = ($$anchor) => {
		var p_4 = root_9$1();
		var text_9 = only_child(p_4, true);
		template_effect(() => set_text(text_9, get(events) === 0 ? "No event was recorded." : "No detector of this run has pictures. Its values are on the right."));
		append($$anchor, p_4);
	};
	if_block(node_6, ($$render) => {
		if (get(how) === "picture" && get(source)) $$render(consequent_6);
		else if (get(how) !== "nothing" && get(source)) $$render(consequent_7, 1);
		else if (get(summary$1)) $$render(consequent_8, 2);
	});
	reset(section_1);
	var aside = sibling(section_1, 2);
	var node_7 = child(aside);
	var consequent_9 = ($$anchor) => {
		var p_5 = root_3$1();
		var text_10 = only_child(p_5, true);
		template_effect(() => set_text(text_10, get(eventProblem)));
		append($$anchor, p_5);
	};
	if_block(node_7, ($$render) => {
		if (get(eventProblem)) $$render(consequent_9);
	});
	var node_8 = sibling(node_7, 2);
	var consequent_18 = ($$anchor) => {
		var fragment_2 = root_16();
		var node_9 = first_child(fragment_2);
		var consequent_13 = ($$anchor) => {
			var fragment_3 = root_13$1();
			var h3 = first_child(fragment_3);
			var text_11 = only_child(h3);
			var dl = sibling(h3, 2);
			var dd = sibling(child(dl));
			var text_12 = only_child(dd, true);
			var node_10 = sibling(dd, 2);
			var consequent_10 = ($$anchor) => {
				var fragment_4 = root_10$1();
				var dd_1 = sibling(first_child(fragment_4));
				var text_13 = only_child(dd_1);
				template_effect(($0) => set_text(text_13, `${get(step).number ?? ""} of ${get(step).of ?? ""}, ${$0 ?? ""} events into it`), [() => count(get(number) - get(step).first)]);
				append($$anchor, fragment_4);
			};
			if_block(node_10, ($$render) => {
				if (get(step)) $$render(consequent_10);
			});
			var dd_2 = sibling(node_10, 3);
			var text_14 = only_child(dd_2, true);
			var node_11 = sibling(dd_2, 2);
			var consequent_12 = ($$anchor) => {
				var fragment_5 = root_12$1();
				var dd_3 = sibling(first_child(fragment_5));
				var text_15 = only_child(dd_3);
				var node_12 = sibling(dd_3, 2);
				var consequent_11 = ($$anchor) => {
					var fragment_6 = root_11$1();
					var dd_4 = sibling(first_child(fragment_6));
					var text_16 = only_child(dd_4, true);
					template_effect(($0) => set_text(text_16, $0), [() => panelsInWords(get(event$1).picture)]);
					append($$anchor, fragment_6);
				};
				var d_1 = user_derived(() => panelsInWords(get(event$1).picture));
				if_block(node_12, ($$render) => {
					if (get(d_1)) $$render(consequent_11);
				});
				template_effect(($0) => set_text(text_15, `${get(event$1).picture.dtype ?? ""} ${$0 ?? ""}`), [() => shapeInWords(get(event$1).picture.shape)]);
				append($$anchor, fragment_5);
			};
			if_block(node_11, ($$render) => {
				if (get(event$1).picture) $$render(consequent_12);
			});
			reset(dl);
			template_effect(($0, $1, $2) => {
				set_text(text_11, `Event ${$0 ?? ""}`);
				set_text(text_12, $1);
				set_text(text_14, $2);
			}, [
				() => count(get(event$1).event),
				() => utc(get(event$1).time_ns),
				() => bytes(get(event$1).bytes)
			]);
			append($$anchor, fragment_3);
		};
		var consequent_14 = ($$anchor) => {
			var dl_1 = root_14$1();
			var dd_5 = sibling(child(dl_1));
			var text_17 = only_child(dd_5);
			reset(dl_1);
			template_effect(($0) => set_text(text_17, `${get(detector).dtype ?? "rows" ?? ""} ${$0 ?? ""}`), [() => shapeInWords(get(detector).shape)]);
			append($$anchor, dl_1);
		};
		if_block(node_9, ($$render) => {
			if (!get(isArray)) $$render(consequent_13);
			else if (get(detector)) $$render(consequent_14, 1);
		});
		var node_13 = sibling(node_9, 2);
		var consequent_15 = ($$anchor) => {
			var div_2 = root_15$1();
			var p_6 = child(div_2);
			var text_18 = only_child(p_6, true);
			var node_14 = sibling(p_6, 2);
			each(node_14, 17, () => get(found).details, index, ($$anchor, detail) => {
				var p_7 = root_2$1();
				var text_19 = only_child(p_7, true);
				template_effect(() => set_text(text_19, get(detail)));
				append($$anchor, p_7);
			});
			reset(div_2);
			template_effect(() => {
				set_class(div_2, 1, `verdict ${get(found).level ?? ""}`, "svelte-1mpqjx4");
				set_text(text_18, get(found).text);
			});
			append($$anchor, div_2);
		};
		if_block(node_13, ($$render) => {
			if (get(found) && !get(isArray)) $$render(consequent_15);
		});
		var node_15 = sibling(node_13, 2);
		var consequent_16 = ($$anchor) => {
			var p_8 = root_5$1();
			var text_20 = only_child(p_8);
			template_effect(() => set_text(text_20, `The values beside the picture cannot be read: ${get(event$1).small_problem ?? ""}`));
			append($$anchor, p_8);
		};
		if_block(node_15, ($$render) => {
			if (get(event$1).small_problem) $$render(consequent_16);
		});
		var node_16 = sibling(node_15, 2);
		var consequent_17 = ($$anchor) => {
			{
				let $0 = user_derived(() => get(event$1).small ?? []);
				let $1 = user_derived(() => get(event$1).small_count ?? 0);
				SmallData($$anchor, {
					get values() {
						return get($0);
					},
					get all() {
						return get($1);
					}
				});
			}
		};
		if_block(node_16, ($$render) => {
			if (!get(isArray)) $$render(consequent_17);
		});
		append($$anchor, fragment_2);
	};
	if_block(node_8, ($$render) => {
		if (get(event$1) && get(summary$1)) $$render(consequent_18);
	});
	reset(aside);
	reset(div);
	template_effect(($0, $1) => {
		classes = set_class(div, 1, "run svelte-1mpqjx4", null, classes, { full: $0 });
		set_attribute(section, "aria-label", `The run ${get(name) ?? ""}`);
		set_attribute(h2, "title", $$props.path);
		set_text(text, get(name));
		set_attribute(a, "href", $1);
		set_attribute(a, "download", get(name));
		set_text(text_2, `Download${(get(summary$1)?.files?.length ?? 0) > 1 ? " its first file" : ""}`);
	}, [() => isFull() && get(how) === "picture", () => download($$props.path)]);
	append($$anchor, div);
	pop();
}
delegate([
	"change",
	"click",
	"input"
]);
// src/screens/runs/Runs.svelte
var root = from_html(`<p class="alarm svelte-7rp0t2" role="alert"> </p>`);
var root_1 = from_html(`<button type="button" class="entry svelte-7rp0t2"><b class="svelte-7rp0t2"> </b><span class="n svelte-7rp0t2"> </span> <small class="svelte-7rp0t2"> </small> <small class="n svelte-7rp0t2"> </small></button>`);
var root_2 = from_html(`<p class="dim svelte-7rp0t2"> </p>`);
var root_3 = from_html(`<p class="alarm svelte-7rp0t2"> </p>`);
var root_4 = from_html(`<button type="button" class="entry svelte-7rp0t2"><b class="svelte-7rp0t2"> </b><span class="n svelte-7rp0t2"> </span> <small class="svelte-7rp0t2"> </small><small class="n svelte-7rp0t2"> </small></button>`);
var root_5 = from_html(`<details><summary class="svelte-7rp0t2"> </summary> <!></details>`);
var root_6 = from_html(`This page may look into no folder. Start the run with <code>--web-files DIR</code>.`, 1);
var root_7 = from_html(`<p class="dim svelte-7rp0t2"><!></p>`);
var root_8 = from_html(`<h2 class="svelte-7rp0t2">Analyses <span>of <code class="svelte-7rp0t2">livetime analyze -o</code></span></h2> <!>`, 1);
var root_9 = from_html(`<p class="file svelte-7rp0t2"><a> </a><span class="n svelte-7rp0t2"> </span></p>`);
var root_10 = from_html(`<h2 class="svelte-7rp0t2">Traces <span>of <code class="svelte-7rp0t2">--trace</code></span></h2> <!> <p class="dim svelte-7rp0t2">Download it and open it in <a href="https://ui.perfetto.dev" rel="noreferrer" target="_blank">ui.perfetto.dev</a> (“Open trace file”): the file stays in your browser. It is empty until the run ends.</p>`, 1);
var root_11 = from_html(`<button type="button" class="link svelte-7rp0t2"> </button>`);
var root_12 = from_html(`<a> </a>`);
var root_13 = from_html(`<p class="file svelte-7rp0t2"><!> <span class="n svelte-7rp0t2"> </span></p>`);
var root_14 = from_html(`<section class="panel nothing svelte-7rp0t2"><p class="dim svelte-7rp0t2">Choose a run on the left to see its pictures and numbers, event by event.</p></section>`);
var root_15 = from_html(`<div><section class="panel scroll lists svelte-7rp0t2" aria-label="Files"><h1 class="svelte-7rp0t2">Runs</h1> <!> <h2 class="svelte-7rp0t2">Being written <span> </span></h2> <!> <!> <!> <h2 class="svelte-7rp0t2">Recorded runs <span> </span></h2> <input type="search" placeholder="Find a file" aria-label="Find a file" class="svelte-7rp0t2"/> <!> <!> <!> <!></section> <div class="opened svelte-7rp0t2"><!></div></div>`);
function Runs($$anchor, $$props) {
	push($$props, true);
	const FILES_MS = 1e3;
	const RUNS_MS = 5e3;
	const growth = new Growth();
	let lists = state(null);
	let now = state(null);
	let rates = state({});
	let problem = state("");
	let at = state(proxy(Date.now()));
	const file = user_derived(() => place.get("file"));
	const folder = user_derived(() => place.get("analysis"));
	const find = user_derived(() => place.get("files").toLowerCase());
	const fits = (text) => get(find).split(/\s+/).every((word) => text.toLowerCase().includes(word));
	const runs = user_derived(() => (get(lists)?.runs ?? []).filter((run) => fits(run.path)));
	const analyses = user_derived(() => (get(lists)?.analyses ?? []).filter((found) => fits(found.folder)));
	const traces = user_derived(() => (get(lists)?.traces ?? []).filter((trace) => fits(trace.path)));
	const others = user_derived(() => (get(lists)?.others ?? []).filter((other) => fits(other.path)));
	const analysis = user_derived(() => get(lists)?.analyses.find((found) => found.folder === get(folder)));
	const open = user_derived(() => (get(now)?.files ?? []).filter((f) => f.state === "open"));
	const complete = user_derived(() => (get(now)?.files ?? []).filter((f) => f.state !== "open").slice(0, 20));
	function repeat(ask, pauseMs) {
		let timer;
		let ended = false;
		const step = async () => {
			if (!document.hidden && run.link !== "ended") await ask().then(() => set(problem, ""), (failure) => set(problem, failure.message, true));
			if (!ended) timer = setTimeout(step, pauseMs);
		};
		step();
		return () => {
			ended = true;
			clearTimeout(timer);
		};
	}
	user_effect(() => repeat(async () => void set(lists, await recorded()), RUNS_MS));
	user_effect(() => repeat(async () => {
		const next = await written();
		set(at, Date.now(), true);
		set(rates, Object.fromEntries(next.files.filter((f) => f.state === "open").map((f) => [f.path, growth.rate(f.path, f.bytes, get(at))])));
		set(now, next);
	}, FILES_MS));
	const ENDINGS = /\.(xtc2?(\.inprogress)?|h5|hdf5|hdf|nxs|cxi|npy)$/i;
	const canOpen = (path) => ENDINGS.test(path);
	const show = (path) => place.set({
		file: path,
		analysis: "",
		detector: "",
		event: "",
		zoom: "",
		range: ""
	});
	const since = (ns) => ns ? ago(get(at) - ns / 1e6) : "";
	var div = root_15();
	let classes;
	var section = child(div);
	var node = sibling(child(section), 2);
	var consequent = ($$anchor) => {
		var p = root();
		var text_1 = only_child(p, true);
		template_effect(() => set_text(text_1, get(problem)));
		append($$anchor, p);
	};
	if_block(node, ($$render) => {
		if (get(problem)) $$render(consequent);
	});
	var h2 = sibling(node, 2);
	var span = sibling(child(h2));
	var text_2 = only_child(span, true);
	reset(h2);
	var node_1 = sibling(h2, 2);
	each(node_1, 17, () => get(open), (f) => f.path, ($$anchor, f) => {
		var button = root_1();
		var b = child(button);
		var text_3 = only_child(b, true);
		var span_1 = sibling(b);
		var text_4 = only_child(span_1, true);
		var small = sibling(span_1, 2);
		var text_5 = only_child(small);
		var small_1 = sibling(small, 2);
		var text_6 = only_child(small_1, true);
		reset(button);
		template_effect(($0, $1, $2, $3, $4) => {
			button.disabled = $0;
			set_attribute(button, "aria-current", get(f).path === get(file));
			set_text(text_3, get(f).name);
			set_text(text_4, $1);
			set_text(text_5, `${get(f).node ?? ""} · ${$2 ?? ""}${$3 ?? ""}`);
			set_text(text_6, $4);
		}, [
			() => !canOpen(get(f).path),
			() => bytes(get(f).bytes),
			() => get(f).frames === null ? "" : `${count(get(f).frames)} frames · `,
			() => folderInShort(get(f).path.replace(/\/[^/]*$/, "")),
			() => get(rates)[get(f).path] ? flow(get(rates)[get(f).path]) : ""
		]);
		delegated("click", button, () => show(get(f).path));
		append($$anchor, button);
	}, ($$anchor) => {
		var p_1 = root_2();
		var text_7 = only_child(p_1, true);
		template_effect(() => set_text(text_7, get(now)?.writers.length ? "No node writes to a file now." : "No node of this run writes files."));
		append($$anchor, p_1);
	});
	var node_2 = sibling(node_1, 2);
	each(node_2, 17, () => get(now)?.writers.filter((w) => w.message) ?? [], (w) => w.node, ($$anchor, w) => {
		var p_2 = root_3();
		var text_8 = only_child(p_2);
		template_effect(() => set_text(text_8, `${get(w).node ?? ""}: ${get(w).message ?? ""}`));
		append($$anchor, p_2);
	});
	var node_3 = sibling(node_2, 2);
	var consequent_1 = ($$anchor) => {
		var details = root_5();
		var summary = child(details);
		var text_9 = only_child(summary);
		var node_4 = sibling(summary, 2);
		each(node_4, 17, () => get(complete), index, ($$anchor, f) => {
			var button_1 = root_4();
			var b_1 = child(button_1);
			var text_10 = only_child(b_1, true);
			var span_2 = sibling(b_1);
			var text_11 = only_child(span_2, true);
			var small_2 = sibling(span_2, 2);
			var text_12 = only_child(small_2);
			var small_3 = sibling(small_2);
			var text_13 = only_child(small_3, true);
			reset(button_1);
			template_effect(($0, $1, $2, $3) => {
				button_1.disabled = $0;
				set_attribute(button_1, "aria-current", get(f).path === get(file));
				set_text(text_10, get(f).name);
				set_text(text_11, $1);
				set_text(text_12, `${get(f).node ?? ""}${$2 ?? ""}`);
				set_text(text_13, $3);
			}, [
				() => get(f).state === "gone" || !canOpen(get(f).path),
				() => get(f).state === "gone" ? "gone" : bytes(get(f).bytes),
				() => get(f).frames === null ? "" : ` · ${count(get(f).frames)} frames`,
				() => since(get(f).modified_ns)
			]);
			delegated("click", button_1, () => show(get(f).path));
			append($$anchor, button_1);
		});
		reset(details);
		template_effect(($0) => set_text(text_9, `${$0 ?? ""} written before`), [() => count(get(complete).length)]);
		append($$anchor, details);
	};
	if_block(node_3, ($$render) => {
		if (get(complete).length > 0) $$render(consequent_1);
	});
	var h2_1 = sibling(node_3, 2);
	var span_3 = sibling(child(h2_1));
	var text_14 = only_child(span_3, true);
	reset(h2_1);
	var input = sibling(h2_1, 2);
	remove_input_defaults(input);
	var node_5 = sibling(input, 2);
	each(node_5, 17, () => get(runs), (run) => run.path, ($$anchor, run, $$index_3, $$array) => {
		var button_2 = root_1();
		var b_2 = child(button_2);
		var text_15 = only_child(b_2, true);
		var span_4 = sibling(b_2);
		var text_16 = only_child(span_4, true);
		var small_4 = sibling(span_4, 2);
		var text_17 = only_child(small_4);
		var small_5 = sibling(small_4, 2);
		var text_18 = only_child(small_5, true);
		reset(button_2);
		template_effect(($0, $1, $2) => {
			set_attribute(button_2, "aria-current", get(run).path === get(file));
			set_attribute(button_2, "title", get(run).path);
			set_text(text_15, get(run).name);
			set_text(text_16, $0);
			set_text(text_17, `${$1 ?? ""}${get(run).files > 1 ? ` · ${get(run).files} files` : ""}${get(run).growing ? " · being written" : ""}`);
			set_text(text_18, $2);
		}, [
			() => bytes(get(run).bytes),
			() => folderInShort(get(run).folder),
			() => since(get(run).modified_ns)
		]);
		delegated("click", button_2, () => show(get(run).path));
		append($$anchor, button_2);
	}, ($$anchor) => {
		var fragment = comment();
		var node_6 = first_child(fragment);
		var consequent_4 = ($$anchor) => {
			var p_3 = root_7();
			var node_7 = child(p_3);
			var consequent_2 = ($$anchor) => {
				var text_19 = text("No file of this name.");
				append($$anchor, text_19);
			};
			var consequent_3 = ($$anchor) => {
				var text_20 = text();
				template_effect(($0) => set_text(text_20, `None in ${$0 ?? ""}.`), [() => get(lists).folders.join(", ")]);
				append($$anchor, text_20);
			};
			var alternate = ($$anchor) => {
				var fragment_2 = root_6();
				next(2);
				append($$anchor, fragment_2);
			};
			if_block(node_7, ($$render) => {
				if (get(find)) $$render(consequent_2);
				else if (get(lists).folders.length > 0) $$render(consequent_3, 1);
				else $$render(alternate, -1);
			});
			reset(p_3);
			append($$anchor, p_3);
		};
		if_block(node_6, ($$render) => {
			if (get(lists)) $$render(consequent_4);
		});
		append($$anchor, fragment);
	});
	var node_8 = sibling(node_5, 2);
	var consequent_5 = ($$anchor) => {
		var fragment_3 = root_8();
		var node_9 = sibling(first_child(fragment_3), 2);
		each(node_9, 17, () => get(analyses), (found) => found.folder, ($$anchor, found) => {
			var button_3 = root_1();
			var b_3 = child(button_3);
			var text_21 = only_child(b_3, true);
			var span_5 = sibling(b_3);
			var text_22 = only_child(span_5);
			var small_6 = sibling(span_5, 2);
			var text_23 = only_child(small_6);
			var small_7 = sibling(small_6, 2);
			var text_24 = only_child(small_7, true);
			reset(button_3);
			template_effect(($0, $1, $2) => {
				set_attribute(button_3, "aria-current", get(found).folder === get(folder));
				set_text(text_21, get(found).name);
				set_text(text_22, `${$0 ?? ""} files`);
				set_text(text_23, `${get(found).found.detector ?? "" ?? ""}${$1 ?? ""}`);
				set_text(text_24, $2);
			}, [
				() => count(get(found).files.length),
				() => get(found).found.used ? ` · ${count(get(found).found.used)} events` : "",
				() => since(get(found).modified_ns)
			]);
			delegated("click", button_3, () => place.set({
				analysis: get(found).folder,
				file: "",
				zoom: "",
				range: ""
			}));
			append($$anchor, button_3);
		});
		append($$anchor, fragment_3);
	};
	if_block(node_8, ($$render) => {
		if (get(analyses).length > 0) $$render(consequent_5);
	});
	var node_10 = sibling(node_8, 2);
	var consequent_6 = ($$anchor) => {
		var fragment_4 = root_10();
		var node_11 = sibling(first_child(fragment_4), 2);
		each(node_11, 17, () => get(traces), (trace) => trace.path, ($$anchor, trace) => {
			var p_4 = root_9();
			var a = child(p_4);
			var text_25 = only_child(a, true);
			var span_6 = sibling(a);
			var text_26 = only_child(span_6, true);
			reset(p_4);
			template_effect(($0, $1) => {
				set_attribute(a, "href", $0);
				set_attribute(a, "download", get(trace).name);
				set_text(text_25, get(trace).name);
				set_text(text_26, $1);
			}, [() => download(get(trace).path), () => bytes(get(trace).bytes)]);
			append($$anchor, p_4);
		});
		next(2);
		append($$anchor, fragment_4);
	};
	if_block(node_10, ($$render) => {
		if (get(traces).length > 0) $$render(consequent_6);
	});
	var node_12 = sibling(node_10, 2);
	var consequent_8 = ($$anchor) => {
		var details_1 = root_5();
		var summary_1 = child(details_1);
		var text_27 = only_child(summary_1);
		var node_13 = sibling(summary_1, 2);
		each(node_13, 17, () => get(others), (other) => other.path, ($$anchor, other) => {
			var p_5 = root_13();
			var node_14 = child(p_5);
			var consequent_7 = ($$anchor) => {
				var button_4 = root_11();
				var text_28 = only_child(button_4, true);
				template_effect(() => set_text(text_28, get(other).name));
				delegated("click", button_4, () => show(get(other).path));
				append($$anchor, button_4);
			};
			var d = user_derived(() => canOpen(get(other).path));
			var alternate_1 = ($$anchor) => {
				var a_1 = root_12();
				var text_29 = only_child(a_1, true);
				template_effect(($0) => {
					set_attribute(a_1, "href", $0);
					set_attribute(a_1, "download", get(other).name);
					set_text(text_29, get(other).name);
				}, [() => download(get(other).path)]);
				append($$anchor, a_1);
			};
			if_block(node_14, ($$render) => {
				if (get(d)) $$render(consequent_7);
				else $$render(alternate_1, -1);
			});
			var span_7 = sibling(node_14, 2);
			var text_30 = only_child(span_7, true);
			reset(p_5);
			template_effect(($0) => set_text(text_30, $0), [() => bytes(get(other).bytes)]);
			append($$anchor, p_5);
		});
		reset(details_1);
		template_effect(($0) => set_text(text_27, `${$0 ?? ""} other ${get(others).length === 1 ? "file" : "files"}`), [() => count(get(others).length)]);
		append($$anchor, details_1);
	};
	if_block(node_12, ($$render) => {
		if (get(others).length > 0) $$render(consequent_8);
	});
	reset(section);
	var div_1 = sibling(section, 2);
	var node_15 = child(div_1);
	var consequent_9 = ($$anchor) => {
		var fragment_5 = comment();
		var node_16 = first_child(fragment_5);
		key(node_16, () => get(file), ($$anchor) => {
			RunView($$anchor, { get path() {
				return get(file);
			} });
		});
		append($$anchor, fragment_5);
	};
	var consequent_10 = ($$anchor) => {
		var fragment_7 = comment();
		var node_17 = first_child(fragment_7);
		key(node_17, () => get(analysis).folder, ($$anchor) => {
			Analysis($$anchor, { get found() {
				return get(analysis);
			} });
		});
		append($$anchor, fragment_7);
	};
	var alternate_2 = ($$anchor) => {
		var section_1 = root_14();
		append($$anchor, section_1);
	};
	if_block(node_15, ($$render) => {
		if (get(file)) $$render(consequent_9);
		else if (get(analysis)) $$render(consequent_10, 1);
		else $$render(alternate_2, -1);
	});
	reset(div_1);
	reset(div);
	template_effect(($0, $1, $2, $3) => {
		classes = set_class(div, 1, "runs svelte-7rp0t2", null, classes, { full: $0 });
		set_text(text_2, $1);
		set_text(text_14, $2);
		set_value(input, $3);
	}, [
		() => isFull() && get(file) !== "",
		() => get(now) ? `${count(get(open).length)} of this run` : "asking …",
		() => get(lists) ? `${count(get(runs).length)}${get(lists).cut ? ", the newest" : ""}` : "asking …",
		() => place.get("files")
	]);
	delegated("input", input, (event) => place.set({ files: event.currentTarget.value }));
	append($$anchor, div);
	pop();
}
delegate(["click", "input"]);
export { Runs as default };
