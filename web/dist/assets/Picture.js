const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./Line2.js","./disclose-version.js","./line.js","./place.svelte.js","./view.js","./Line.css","./LineProfile.js","./maps.js","./units.js","./theme.js","./themed.svelte.js","./settings.svelte.js","./LineProfile.css"])))=>i.map(i=>d[i]);
import { B as child, C as await_block, D as comment, E as append, F as tick, G as set, H as only_child, J as pop, K as state, L as template_effect, M as delegated, N as event, O as from_html, P as get, Q as to_array, R as user_effect, S as if_block, T as set_text, U as sibling, V as first_child, W as proxy, Y as push, Z as reset, _ as component, a as bind_element_size, f as init_select, h as set_class, i as bind_this, j as delegate, k as from_svg, l as set_attribute, m as set_style, n as onMount, p as select_option, q as user_derived, r as prop, y as each } from "./disclose-version.js";
import { t as drafts } from "./drafts.svelte.js";
import { i as writeLine, n as readLine } from "./line.js";
import { t as place } from "./place.svelte.js";
import { a as toCanvas, c as between, d as drawnBy, f as parametersOf, i as toArray, l as clamp, m as sameRegion, n as kept, o as zoomedAt, p as regionOf, r as ticks, s as HANDLES, t as fitted, u as dragged } from "./view.js";
import { t as run } from "./run.svelte.js";
import { c as short, i as count, o as rate } from "./units.js";
import { n as rgb, t as colour } from "./theme.js";
import { t as themed } from "./themed.svelte.js";
import { a as placer, i as gradient, n as MAP_TITLES, o as unwarp, r as colours, s as warp, t as MAP_NAMES } from "./maps.js";
import { i as shown, n as PERCENT_LOW, r as isAuto, t as PERCENT_HIGH } from "./settings.svelte.js";
import { t as __vitePreload } from "./preload-helper.js";
// src/link/still.ts
var isStill = (from) => from.startsWith("/api/");
var detectorOf = (from) => isStill(from) ? from.replace(/&event=\d+$/, "") : from;
// src/model/regions.ts
var regionNodes = (source) => run.nodes.filter((node) => node.type === "roi" && run.inputOf(node.name) === source).map((node) => node.name);
function regionsOf(source, full) {
	return regionNodes(source).filter((name) => run.value(name, "min_x") !== void 0).map((name) => {
		const region = regionOf((param) => drafts.value(name, param), full);
		return {
			name,
			region,
			pending: !sameRegion(region, regionOf((param) => run.value(name, param), full))
		};
	});
}
var wishRegion = (name, region) => drafts.set(name, parametersOf(region, (param) => run.value(name, param)));
// src/picture/Axis.svelte
var root$5 = from_svg(`<text x="34" class="svelte-1bn6v2h"> </text><path class="svelte-1bn6v2h"></path>`, 1);
var root_1$4 = from_svg(`<svg width="40" aria-hidden="true" class="svelte-1bn6v2h"></svg>`);
function Axis($$anchor, $$props) {
	push($$props, true);
	const marks = user_derived(() => {
		const top = toArray($$props.view, $$props.box, 0, 0).y;
		const bottom = toArray($$props.view, $$props.box, 0, $$props.box.height).y;
		return ticks(Math.max(0, top), bottom, Math.max(2, $$props.box.height / 90)).filter(Number.isInteger).map((row) => ({
			row,
			y: toCanvas($$props.view, $$props.box, 0, row).y
		})).filter(({ y }) => y >= -.5 && y <= $$props.box.height);
	});
	var svg = root_1$4();
	each(svg, 21, () => get(marks), ({ row, y }) => row, ($$anchor, $$item) => {
		let row = () => get($$item).row;
		let y = () => get($$item).y;
		var fragment = root$5();
		var text = first_child(fragment);
		var text_1 = only_child(text, true);
		var path = sibling(text);
		template_effect(($0) => {
			set_attribute(text, "y", $0);
			set_text(text_1, row());
			set_attribute(path, "d", `M37 ${y() ?? ""}h3`);
		}, [() => Math.min($$props.box.height - 2, Math.max(9, y() + 4))]);
		append($$anchor, fragment);
	});
	reset(svg);
	template_effect(() => set_attribute(svg, "height", $$props.box.height));
	append($$anchor, svg);
	pop();
}
// src/picture/HistogramBar.svelte
var root$4 = from_html(`<div role="slider" tabindex="0"><span> </span></div>`);
var root_1$3 = from_svg(`<text y="12" class="svelte-1wt8poz"> </text>`);
var root_2$3 = from_html(`<div class="histogram svelte-1wt8poz"><canvas class="svelte-1wt8poz"></canvas> <!> <svg width="100%" height="16" aria-hidden="true" class="svelte-1wt8poz"></svg></div>`);
function HistogramBar($$anchor, $$props) {
	push($$props, true);
	let canvas;
	let width = state(1);
	const HEIGHT = 50;
	const from = user_derived(() => warp($$props.info?.min ?? 0, shown.scale));
	const wide = user_derived(() => warp($$props.info?.max ?? 1, shown.scale) - get(from) || 1);
	const placeOf = (value) => clamp((warp(value, shown.scale) - get(from)) / get(wide), 0, 1) * get(width);
	const valueAt = (x) => unwarp(get(from) + clamp(x, 0, get(width)) / get(width) * get(wide), shown.scale);
	const contrast = user_derived(() => shown.contrast);
	const handles = user_derived(() => $$props.info ? [{
		key: "low",
		value: $$props.info.low,
		text: isAuto(get(contrast)) ? `${get(contrast).percentLow} %` : short($$props.info.low)
	}, {
		key: "high",
		value: $$props.info.high,
		text: isAuto(get(contrast)) ? `${get(contrast).percentHigh} %` : short($$props.info.high)
	}] : []);
	const marks = user_derived(() => {
		if (!$$props.info || get(width) < 40) return [];
		const wanted = Math.max(4, get(width) / 80);
		if (shown.scale === "linear") return ticks($$props.info.min, $$props.info.max, wanted).map((value) => ({
			value,
			x: placeOf(value)
		}));
		const powers = [
			0,
			1,
			2,
			5
		].flatMap((n) => [
			0,
			1,
			2,
			3,
			4,
			5,
			6,
			7,
			8,
			9
		].map((power) => n * 10 ** power));
		let last = -Infinity;
		return [...new Set(powers)].sort((a, b) => a - b).filter((value) => value >= $$props.info.min && value <= $$props.info.max).map((value) => ({
			value,
			x: placeOf(value)
		})).filter(({ x }) => x - last < 44 ? false : (last = x, true));
	});
	user_effect(() => {
		themed.count;
		const density = devicePixelRatio || 1;
		[canvas.width, canvas.height] = [Math.max(1, Math.round(get(width) * density)), HEIGHT * density];
		const pen = canvas.getContext("2d");
		if (!$$props.info) return;
		pen.scale(density, density);
		const table = colours(shown.map);
		const { bars } = $$props.info;
		const most = Math.log(1 + Math.max(...bars));
		const one = get(width) / bars.length;
		const [low, high] = [warp($$props.info.low, shown.scale), warp($$props.info.high, shown.scale)];
		bars.forEach((n, i) => {
			if (n === 0) return;
			const height = Math.max(1.5, Math.log(1 + n) / most * 46);
			const place = (get(from) + (i + .5) / bars.length * get(wide) - low) / (high - low || 1);
			const at = Math.round(clamp(place, 0, 1) * 255) * 4;
			pen.fillStyle = place < 0 || place > 1 ? colour("--line2") : `color-mix(in srgb, rgb(${table[at]} ${table[at + 1]} ${table[at + 2]}) 82%, ${colour("--dim")})`;
			pen.fillRect(i * one, HEIGHT - height, Math.max(1, one > 3 ? one - 1 : one), height);
		});
	});
	function change(key, value) {
		if (!$$props.info) return;
		const [low, high] = key === "low" ? [value, $$props.info.high] : [$$props.info.low, value];
		if (low < high) shown.contrast = {
			low,
			high
		};
	}
	function pull(event, key) {
		const handle = event.currentTarget;
		if (!handle.hasPointerCapture(event.pointerId)) return;
		change(key, valueAt(event.clientX - handle.parentElement.getBoundingClientRect().left));
	}
	function nudge(event, key, value) {
		const by = {
			ArrowLeft: -1,
			ArrowRight: 1,
			ArrowDown: -1,
			ArrowUp: 1
		}[event.key];
		if (by === void 0) return;
		event.preventDefault();
		event.stopPropagation();
		change(key, valueAt(placeOf(value) + by * (event.shiftKey ? 20 : 3)));
	}
	var div = root_2$3();
	var canvas_1 = child(div);
	set_style(canvas_1, "", {}, { height: "50px" });
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	var node = sibling(canvas_1, 2);
	each(node, 17, () => get(handles), ({ key, value, text }) => key, ($$anchor, $$item) => {
		let key = () => get($$item).key;
		let value = () => get($$item).value;
		let text = () => get($$item).text;
		var div_1 = root$4();
		let styles;
		var span = child(div_1);
		let classes;
		var text_1 = only_child(span, true);
		reset(div_1);
		template_effect(($0, $1, $2) => {
			set_class(div_1, 1, `handle ${key() ?? ""}`, "svelte-1wt8poz");
			set_attribute(div_1, "aria-label", key() === "low" ? "Darkest value" : "Brightest value");
			set_attribute(div_1, "aria-valuenow", value());
			set_attribute(div_1, "aria-valuemin", $$props.info?.min);
			set_attribute(div_1, "aria-valuemax", $$props.info?.max);
			set_attribute(div_1, "aria-valuetext", $0);
			styles = set_style(div_1, "", styles, { left: $1 });
			classes = set_class(span, 1, "svelte-1wt8poz", null, classes, { left: $2 });
			set_text(text_1, text());
		}, [
			() => short(value()),
			() => `${placeOf(value()) ?? ""}px`,
			() => placeOf(value()) > get(width) - 60
		]);
		delegated("pointerdown", div_1, (event) => event.currentTarget.setPointerCapture(event.pointerId));
		delegated("pointermove", div_1, (event) => pull(event, key()));
		delegated("keydown", div_1, (event) => nudge(event, key(), value()));
		append($$anchor, div_1);
	});
	var svg = sibling(node, 2);
	each(svg, 21, () => get(marks), ({ value, x }) => value, ($$anchor, $$item) => {
		let value = () => get($$item).value;
		let x = () => get($$item).x;
		var text_2 = root_1$3();
		var text_3 = only_child(text_2, true);
		template_effect(($0, $1) => {
			set_attribute(text_2, "x", $0);
			set_text(text_3, $1);
		}, [() => clamp(x(), 8, get(width) - 14), () => short(value(), 3)]);
		append($$anchor, text_2);
	});
	reset(svg);
	reset(div);
	template_effect(($0) => set_attribute(canvas_1, "aria-label", $0), [() => $$props.info ? `Histogram from ${short($$props.info.min)} to ${short($$props.info.max)}` : "Histogram"]);
	bind_element_size(div, "clientWidth", ($$value) => set(width, $$value));
	append($$anchor, div);
	pop();
}
delegate([
	"pointerdown",
	"pointermove",
	"keydown"
]);
// src/picture/Profile.svelte
var root$3 = from_html(`<canvas class="svelte-1f1y5m7"></canvas>`);
function Profile($$anchor, $$props) {
	push($$props, true);
	let upright = prop($$props, "upright", 3, false);
	let canvas;
	user_effect(() => {
		themed.count;
		draw(canvas, $$props.values, shown.scale);
	});
	function draw(canvas, values, scale) {
		const density = devicePixelRatio || 1;
		const [long, high] = upright() ? [$$props.box.height, canvas.clientWidth] : [$$props.box.width, canvas.clientHeight];
		const [width, height] = upright() ? [high, long] : [long, high];
		[canvas.width, canvas.height] = [Math.max(1, width * density), Math.max(1, height * density)];
		const pen = canvas.getContext("2d");
		pen.scale(density, density);
		if (!values || values.length === 0) return;
		let [low, top] = [Infinity, -Infinity];
		for (const value of values) {
			if (value < low) low = value;
			if (value > top) top = value;
		}
		if (!(low < Infinity)) return;
		const up = placer(Math.min(0, low), Math.max(top, low + 1), scale);
		const edge = (i) => {
			const place = toCanvas($$props.view, $$props.box, $$props.x0 + i * $$props.step, $$props.x0 + i * $$props.step);
			return upright() ? place.y : place.x;
		};
		const first = Math.max(0, Math.floor((at0() - $$props.x0) / $$props.step));
		const last = Math.min(values.length - 1, Math.ceil((at1() - $$props.x0) / $$props.step));
		pen.beginPath();
		for (let i = first; i <= last; i++) {
			const size = 2 + up(values[i]) * (high - 6);
			for (const along of [edge(i), edge(i + 1)]) upright() ? pen.lineTo(size, along) : pen.lineTo(along, high - size);
		}
		pen.strokeStyle = colour("--s1");
		pen.lineWidth = 1.1;
		pen.stroke();
		const [a, b] = [edge(first), edge(last + 1)];
		if (upright()) pen.lineTo(0, b), pen.lineTo(0, a);
		else pen.lineTo(b, high), pen.lineTo(a, high);
		pen.globalAlpha = .1;
		pen.fillStyle = colour("--s1");
		pen.fill();
	}
	const at0 = () => upright() ? $$props.view.y - $$props.box.height / 2 / $$props.view.zoom : $$props.view.x - $$props.box.width / 2 / $$props.view.zoom;
	const at1 = () => upright() ? $$props.view.y + $$props.box.height / 2 / $$props.view.zoom : $$props.view.x + $$props.box.width / 2 / $$props.view.zoom;
	var canvas_1 = root$3();
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	template_effect(() => set_attribute(canvas_1, "aria-label", `${upright() ? "Column" : "Row"} through the cross-hair${$$props.at === null ? "" : ` at ${$$props.at}`}`));
	append($$anchor, canvas_1);
	pop();
}
// src/picture/Regions.svelte
var root$2 = from_html(` <small class="svelte-fxa8h7"> </small>`, 1);
var root_1$2 = from_html(`<span aria-hidden="true"></span>`);
var root_2$2 = from_html(`<span class="ask svelte-fxa8h7"><button class="btn primary" type="button">Apply ⏎</button> <button class="btn" type="button">Revert</button></span>`);
var root_3$2 = from_html(`<div role="button" tabindex="0"><span class="edge top svelte-fxa8h7" aria-hidden="true"></span> <span class="edge left svelte-fxa8h7" aria-hidden="true"></span> <span class="edge right svelte-fxa8h7" aria-hidden="true"></span> <span class="edge bottom svelte-fxa8h7" aria-hidden="true"></span> <span class="title svelte-fxa8h7" aria-hidden="true"> <!></span> <!></div> <!>`, 1);
var root_4$2 = from_html(`<div class="regions svelte-fxa8h7"></div>`);
function Regions($$anchor, $$props) {
	push($$props, true);
	const nodes = user_derived(() => regionNodes($$props.source));
	user_effect(() => run.watch(get(nodes)));
	const shapes = user_derived(() => regionsOf($$props.source, $$props.full).map(({ name, region: wished, pending }) => {
		return {
			name,
			wished,
			pending,
			...toCanvas($$props.view, $$props.box, wished.x, wished.y),
			width: wished.width * $$props.view.zoom,
			height: wished.height * $$props.view.zoom
		};
	}));
	const inOrder = user_derived(() => [...get(shapes)].sort((a, b) => Number(a.name === $$props.chosen) - Number(b.name === $$props.chosen)));
	const PLACES = {
		nw: [0, 0],
		n: [.5, 0],
		ne: [1, 0],
		e: [1, .5],
		se: [1, 1],
		s: [.5, 1],
		sw: [0, 1],
		w: [0, .5]
	};
	let drag = null;
	function press(event, name, handle, from) {
		if (event.button !== 0) return;
		event.stopPropagation();
		$$props.choose(name);
		if (!run.mayWrite) return;
		event.currentTarget.setPointerCapture(event.pointerId);
		drag = {
			name,
			handle,
			from,
			x: event.clientX,
			y: event.clientY
		};
	}
	function move(event) {
		if (!drag) return;
		const by = {
			x: (event.clientX - drag.x) / $$props.view.zoom,
			y: (event.clientY - drag.y) / $$props.view.zoom
		};
		wishRegion(drag.name, dragged(drag.from, drag.handle, by.x, by.y, $$props.full));
	}
	function key(event, name, from) {
		const step = event.ctrlKey ? 10 : 1;
		const by = {
			ArrowLeft: [-step, 0],
			ArrowRight: [step, 0],
			ArrowUp: [0, -step],
			ArrowDown: [0, step]
		}[event.key];
		if (by && run.mayWrite) wishRegion(name, dragged(from, event.shiftKey ? "se" : "move", by[0], by[1], $$props.full));
		else if (event.key === "Enter") drafts.apply(name);
		else if (event.key === "Escape") drafts.revert(name);
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
	var div = root_4$2();
	each(div, 21, () => get(inOrder), ({ name, wished, pending, x, y, width, height }) => name, ($$anchor, $$item) => {
		let name = () => get($$item).name;
		let wished = () => get($$item).wished;
		let pending = () => get($$item).pending;
		let x = () => get($$item).x;
		let y = () => get($$item).y;
		let width = () => get($$item).width;
		let height = () => get($$item).height;
		const current = user_derived(() => name() === $$props.chosen);
		var fragment = root_3$2();
		var div_1 = first_child(fragment);
		let classes;
		let styles;
		var span = child(div_1);
		var span_1 = sibling(span, 2);
		var span_2 = sibling(span_1, 2);
		var span_3 = sibling(span_2, 2);
		var span_4 = sibling(span_3, 2);
		var text = child(span_4, true);
		var node = sibling(text);
		var consequent = ($$anchor) => {
			var fragment_1 = root$2();
			var text_1 = first_child(fragment_1, true);
			text_1.nodeValue = " ";
			var small = sibling(text_1);
			var text_2 = only_child(small);
			template_effect(() => set_text(text_2, `${wished().x ?? ""}, ${wished().y ?? ""} ${wished().width ?? ""} × ${wished().height ?? ""}`));
			append($$anchor, fragment_1);
		};
		if_block(node, ($$render) => {
			if (get(current)) $$render(consequent);
		});
		reset(span_4);
		var node_1 = sibling(span_4, 2);
		var consequent_1 = ($$anchor) => {
			var fragment_2 = comment();
			var node_2 = first_child(fragment_2);
			each(node_2, 16, () => HANDLES, (handle) => handle, ($$anchor, handle) => {
				const computed_const = user_derived(() => {
					const [px, py] = PLACES[handle];
					return {
						px,
						py
					};
				});
				var span_5 = root_1$2();
				let styles_1;
				template_effect(() => {
					set_class(span_5, 1, `handle ${handle ?? ""}`, "svelte-fxa8h7");
					set_attribute(span_5, "data-handle", handle);
					styles_1 = set_style(span_5, "", styles_1, {
						left: `${get(computed_const).px * 100}%`,
						top: `${get(computed_const).py * 100}%`
					});
				});
				delegated("pointerdown", span_5, (e) => press(e, name(), handle, wished()));
				delegated("pointermove", span_5, move);
				delegated("pointerup", span_5, () => drag = null);
				append($$anchor, span_5);
			});
			append($$anchor, fragment_2);
		};
		if_block(node_1, ($$render) => {
			if (get(current) && run.mayWrite) $$render(consequent_1);
		});
		reset(div_1);
		var node_3 = sibling(div_1, 2);
		var consequent_2 = ($$anchor) => {
			var span_6 = root_2$2();
			let styles_2;
			var button = child(span_6);
			var button_1 = sibling(button, 2);
			reset(span_6);
			template_effect(($0, $1) => styles_2 = set_style(span_6, "", styles_2, {
				right: $0,
				bottom: $1
			}), [() => `${Math.max(6, $$props.box.width - x() - width() + 6)}px`, () => `${Math.max(6, $$props.box.height - y() - height() + 6)}px`]);
			delegated("click", button, () => drafts.apply(name()));
			delegated("click", button_1, () => drafts.revert(name()));
			append($$anchor, span_6);
		};
		if_block(node_3, ($$render) => {
			if (pending()) $$render(consequent_2);
		});
		template_effect(() => {
			classes = set_class(div_1, 1, "region svelte-fxa8h7", null, classes, {
				current: get(current),
				pending: pending()
			});
			set_attribute(div_1, "data-region", name());
			set_attribute(div_1, "aria-label", `${name() ?? ""} ${wished().x ?? ""}, ${wished().y ?? ""} ${wished().width ?? ""} × ${wished().height ?? ""}: region${pending() ? ", not applied" : ""}. Arrow keys move it, with Shift they size it, Enter applies, Escape reverts.`);
			styles = set_style(div_1, "", styles, {
				left: `${x() ?? ""}px`,
				top: `${y() ?? ""}px`,
				width: `${width() ?? ""}px`,
				height: `${height() ?? ""}px`
			});
			set_text(text, name());
		});
		delegated("keydown", div_1, (event) => key(event, name(), wished()));
		event("focus", div_1, () => $$props.choose(name()));
		delegated("pointerdown", span, (e) => press(e, name(), "move", wished()));
		delegated("pointermove", span, move);
		delegated("pointerup", span, () => drag = null);
		delegated("pointerdown", span_1, (e) => press(e, name(), "move", wished()));
		delegated("pointermove", span_1, move);
		delegated("pointerup", span_1, () => drag = null);
		delegated("pointerdown", span_2, (e) => press(e, name(), "move", wished()));
		delegated("pointermove", span_2, move);
		delegated("pointerup", span_2, () => drag = null);
		delegated("pointerdown", span_3, (e) => press(e, name(), "move", wished()));
		delegated("pointermove", span_3, move);
		delegated("pointerup", span_3, () => drag = null);
		delegated("pointerdown", span_4, (e) => press(e, name(), "move", wished()));
		delegated("pointermove", span_4, move);
		delegated("pointerup", span_4, () => drag = null);
		append($$anchor, fragment);
	});
	reset(div);
	append($$anchor, div);
	pop();
}
delegate([
	"keydown",
	"pointerdown",
	"pointermove",
	"pointerup",
	"click"
]);
// src/picture/Tools.svelte
var root$1 = from_html(`<option> </option>`);
var root_1$1 = from_html(`<select aria-label="Output that is shown" class="svelte-k05he9"></select>`);
var root_2$1 = from_html(`<span class="faint size svelte-k05he9"> </span>`);
var root_3$1 = from_html(`<div class="seg svelte-k05he9" role="group" aria-label="Live or held"><button type="button" class="svelte-k05he9">Live</button> <button type="button" class="svelte-k05he9">Hold</button></div>`);
var root_4$1 = from_html(`<button type="button" class="svelte-k05he9"> </button>`);
var root_5$1 = from_html(`<button type="button" class="svelte-k05he9">Region</button>`);
var root_6$1 = from_html(`<div class="tools svelte-k05he9"><!> <!> <!> <div class="seg svelte-k05he9" role="group" aria-label="Scale"></div> <label class="map svelte-k05he9"><i class="svelte-k05he9"></i><span class="quiet">Colours</span> <select class="svelte-k05he9"></select></label> <button type="button" class="one svelte-k05he9" title="Contrast by percentiles of what is shown">Auto <span class="percent svelte-k05he9"> </span></button> <span class="space svelte-k05he9"></span> <div class="seg svelte-k05he9" role="group" aria-label="Draw"><!> <button type="button" title="Values along a line (l)" class="svelte-k05he9">Line</button></div> <div class="seg svelte-k05he9" role="group" aria-label="Zoom"><button type="button" class="svelte-k05he9">Fit</button> <button type="button" class="svelte-k05he9">1:1</button> <button type="button" class="svelte-k05he9">4×</button></div></div>`);
function Tools($$anchor, $$props) {
	push($$props, true);
	let hold = prop($$props, "hold", 15), tool = prop($$props, "tool", 15);
	const SCALES = [
		[
			"linear",
			"Lin",
			"Linear"
		],
		[
			"log",
			"Log",
			"Logarithm of 1 + counts"
		],
		[
			"root",
			"√",
			"Root of the counts"
		]
	];
	const outputs = user_derived(() => run.nodes.flatMap((node) => node.outputs.filter((output) => output.kinds.includes("array")).map((output) => output.name)));
	const contrast = user_derived(() => shown.contrast);
	const auto = user_derived(() => isAuto(get(contrast)));
	const fits = user_derived(() => shown.sight.zoom === "fit");
	const why = user_derived(() => run.mayWrite ? `No node \`roi\` takes ${$$props.source}: choose another output, connect one, or add one to the pipeline file` : "Who draws a region changes the run: open the link with the token");
	function turnAuto() {
		shown.contrast = get(auto) ? {
			low: $$props.info?.low ?? 0,
			high: $$props.info?.high ?? 1
		} : {
			percentLow: PERCENT_LOW,
			percentHigh: PERCENT_HIGH
		};
	}
	var div = root_6$1();
	var node_1 = child(div);
	var consequent = ($$anchor) => {
		var select = root_1$1();
		each(select, 20, () => get(outputs), (output) => output, ($$anchor, output) => {
			var option = root$1();
			var text = only_child(option, true);
			var option_value = {};
			template_effect(($0) => {
				set_text(text, $0);
				if (option_value !== (option_value = output)) option.value = (option.__value = option_value) ?? "";
			}, [() => output.replace(".", " ▸ ")]);
			append($$anchor, option);
		});
		reset(select);
		var select_value;
		init_select(select);
		template_effect(() => {
			if (select_value !== (select_value = $$props.source)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		});
		delegated("change", select, (e) => $$props.choose(e.currentTarget.value));
		append($$anchor, select);
	};
	if_block(node_1, ($$render) => {
		if (!$$props.still) $$render(consequent);
	});
	var node_2 = sibling(node_1, 2);
	var consequent_1 = ($$anchor) => {
		var span = root_2$1();
		var text_1 = only_child(span);
		template_effect(($0) => set_text(text_1, `${$$props.info.full.width ?? ""} × ${$$props.info.full.height ?? ""} ${$$props.info.dtype ?? ""}${$$props.info.colours === 3 ? " rgb" : ""} · ${$0 ?? ""} %`), [() => Math.round($$props.view.zoom * 100)]);
		append($$anchor, span);
	};
	if_block(node_2, ($$render) => {
		if ($$props.info) $$render(consequent_1);
	});
	var node_3 = sibling(node_2, 2);
	var consequent_2 = ($$anchor) => {
		var div_1 = root_3$1();
		var button = child(div_1);
		var button_1 = sibling(button, 2);
		reset(div_1);
		template_effect(() => {
			set_attribute(button, "aria-pressed", !hold());
			set_attribute(button_1, "aria-pressed", hold());
		});
		delegated("click", button, () => hold(false));
		delegated("click", button_1, () => hold(true));
		append($$anchor, div_1);
	};
	if_block(node_3, ($$render) => {
		if (!$$props.still) $$render(consequent_2);
	});
	var div_2 = sibling(node_3, 2);
	each(div_2, 21, () => SCALES, ([scale, title, hint]) => scale, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 3));
		let scale = () => get($$array)[0];
		let title = () => get($$array)[1];
		let hint = () => get($$array)[2];
		var button_2 = root_4$1();
		var text_2 = only_child(button_2, true);
		template_effect(() => {
			set_attribute(button_2, "title", hint());
			set_attribute(button_2, "aria-pressed", shown.scale === scale());
			set_text(text_2, title());
		});
		delegated("click", button_2, () => shown.scale = scale());
		append($$anchor, button_2);
	});
	reset(div_2);
	var label = sibling(div_2, 2);
	var i = child(label);
	let styles;
	var select_1 = sibling(i, 3);
	each(select_1, 20, () => MAP_NAMES, (name) => name, ($$anchor, name) => {
		var option_1 = root$1();
		var text_3 = only_child(option_1, true);
		var option_1_value = {};
		template_effect(() => {
			set_text(text_3, MAP_TITLES[name]);
			if (option_1_value !== (option_1_value = name)) option_1.value = (option_1.__value = option_1_value) ?? "";
		});
		append($$anchor, option_1);
	});
	reset(select_1);
	var select_1_value;
	init_select(select_1);
	reset(label);
	var button_3 = sibling(label, 2);
	var span_1 = sibling(child(button_3));
	var text_4 = only_child(span_1, true);
	reset(button_3);
	var div_3 = sibling(button_3, 4);
	var node_4 = child(div_3);
	var consequent_3 = ($$anchor) => {
		var button_4 = root_5$1();
		template_effect(() => {
			set_attribute(button_4, "aria-pressed", tool() === "region");
			button_4.disabled = !$$props.target;
			set_attribute(button_4, "title", $$props.target ? `Draw the region of ${$$props.target} (r)` : get(why));
		});
		delegated("click", button_4, () => tool(tool() === "region" ? "" : "region"));
		append($$anchor, button_4);
	};
	if_block(node_4, ($$render) => {
		if (!$$props.still) $$render(consequent_3);
	});
	var button_5 = sibling(node_4, 2);
	reset(div_3);
	var div_4 = sibling(div_3, 2);
	var button_6 = child(div_4);
	var button_7 = sibling(button_6, 2);
	var button_8 = sibling(button_7, 2);
	reset(div_4);
	reset(div);
	template_effect(($0, $1, $2, $3) => {
		styles = set_style(i, "", styles, { background: $0 });
		if (select_1_value !== (select_1_value = shown.map)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
		set_attribute(button_3, "aria-pressed", get(auto));
		set_text(text_4, $1);
		set_attribute(button_5, "aria-pressed", tool() === "line");
		button_5.disabled = !$$props.info;
		set_attribute(button_6, "aria-pressed", get(fits));
		set_attribute(button_7, "aria-pressed", $2);
		set_attribute(button_8, "aria-pressed", $3);
	}, [
		() => gradient(shown.map),
		() => isAuto(get(contrast)) ? `${get(contrast).percentLow}–${get(contrast).percentHigh} %` : "contrast",
		() => !get(fits) && Math.abs($$props.view.zoom - 1) < .001,
		() => !get(fits) && Math.abs($$props.view.zoom - 4) < .001
	]);
	delegated("change", select_1, (e) => shown.map = e.currentTarget.value);
	delegated("click", button_3, turnAuto);
	delegated("click", button_5, () => tool(tool() === "line" ? "" : "line"));
	delegated("click", button_6, function(...$$args) {
		$$props.fit?.apply(this, $$args);
	});
	delegated("click", button_7, () => $$props.setZoom(1));
	delegated("click", button_8, () => $$props.setZoom(4));
	append($$anchor, div);
	pop();
}
delegate(["change", "click"]);
// src/picture/worker.ts?worker
function WorkerWrapper(options) {
	return new Worker(new URL("worker.js", import.meta.url).href, {
		type: "module",
		name: options?.name
	});
}
// src/picture/Picture.svelte
var root = from_html(`<span>x <b class="svelte-1hbwdai"> </b>&ensp;y <b class="svelte-1hbwdai"> </b></span> <strong data-testid="value" class="svelte-1hbwdai"> </strong> <small> </small>`, 1);
var root_1 = from_svg(`<svg class="cross svelte-1hbwdai" aria-hidden="true"><path class="svelte-1hbwdai"></path><circle r="6" class="svelte-1hbwdai"></circle></svg>`);
var root_2 = from_html(`<div><!></div>`);
var root_3 = from_html(`<!> <!>`, 1);
var root_4 = from_html(`<p class="message svelte-1hbwdai" role="alert"> </p>`);
var root_5 = from_html(`<p class="message svelte-1hbwdai"> </p>`);
var root_6 = from_html(`<p class="message low svelte-1hbwdai"> </p>`);
var root_7 = from_html(`<p class="message low svelte-1hbwdai" role="status"> </p>`);
var root_8 = from_html(`<p class="message low svelte-1hbwdai">Held. What is shown stays until you press Live.</p>`);
var root_9 = from_html(`<div class="lines svelte-1hbwdai"><!></div>`);
var root_10 = from_html(`<span class="warn"> </span>`);
var root_11 = from_html(`<span><b class="svelte-1hbwdai"> </b> to <b class="svelte-1hbwdai"> </b></span> <span>mean <b class="svelte-1hbwdai"> </b></span> <span> </span> <!> <span title="Pictures on this screen; frames of the view that this page was not sent"> </span>`, 1);
var root_12 = from_html(`<section class="picture svelte-1hbwdai" aria-label="Picture"><!> <div><div class="along svelte-1hbwdai"><!></div> <div class="readout svelte-1hbwdai" role="status" aria-live="off"><!></div> <div><!></div> <div class="room svelte-1hbwdai"><div class="whole svelte-1hbwdai"><div role="application" aria-roledescription="picture" tabindex="0"><canvas data-testid="picture"></canvas> <!></div> <!> <!> <!></div></div> <div class="down"><!></div> <!> <div class="bars svelte-1hbwdai"><!></div> <div class="numbers dim svelte-1hbwdai"><!></div></div></section>`);
function Picture($$anchor, $$props) {
	push($$props, true);
	let chosen = prop($$props, "chosen", 3, ""), choose = prop($$props, "choose", 3, () => {}), title = prop($$props, "title", 3, "");
	let worker = null;
	let started = state(false);
	let canvas;
	let box = state(proxy({
		width: 1,
		height: 1
	}));
	let shift = state(proxy({
		x: 0,
		y: 0
	}));
	let info = state(null);
	let cross = state(null);
	let problem = state("");
	let hold = state(false);
	let pinned = state(null);
	let hovered = state(null);
	let density = state(proxy(devicePixelRatio || 1));
	let tool = state("");
	let anchor = state(null);
	let lineValues = state(null);
	let aim = state(null);
	let isDrawn = false;
	const still = user_derived(() => isStill($$props.source));
	const name = user_derived(() => get(still) ? title() : $$props.source);
	const detector = user_derived(() => detectorOf($$props.source));
	const full = user_derived(() => get(info)?.full ?? {
		width: 1,
		height: 1
	});
	const view = user_derived(() => shown.sight.zoom === "fit" ? fitted(get(full), get(box)) : kept({
		zoom: shown.sight.zoom,
		x: shown.sight.x,
		y: shown.sight.y
	}, get(full), get(box)));
	const at = user_derived(() => get(hovered) ?? get(pinned) ?? (get(info) ? {
		x: Math.floor(get(full).width / 2),
		y: Math.floor(get(full).height / 2)
	} : null));
	const crossPlace = user_derived(() => get(at) ? toCanvas(get(view), get(box), get(at).x + .5, get(at).y + .5) : null);
	const line = user_derived(() => readLine(place.get("line")));
	const target = user_derived(() => get(info) && !get(still) && run.mayWrite ? drawnBy(regionsOf($$props.source, get(full)), chosen(), get(full)) : null);
	const inside = user_derived(() => get(crossPlace) && get(crossPlace).x >= 0 && get(crossPlace).y >= 0 && get(crossPlace).x <= get(box).width && get(crossPlace).y <= get(box).height);
	onMount(() => {
		const made = new WorkerWrapper();
		made.onmessage = (event) => take(event.data);
		made.onerror = (event) => set(problem, event.message || "the picture stopped working", true);
		const offscreen = canvas.transferControlToOffscreen();
		const base = new URL(".", location.href).origin;
		worker = made;
		worker.postMessage({
			kind: "start",
			canvas: offscreen,
			base
		}, [offscreen]);
		set(started, true);
		const seen = () => say({
			kind: "seen",
			seen: !document.hidden
		});
		document.addEventListener("visibilitychange", seen);
		return () => {
			document.removeEventListener("visibilitychange", seen);
			made.terminate();
			worker = null;
		};
	});
	const say = (message) => get(started) && worker?.postMessage(message);
	user_effect(() => {
		say({
			kind: "source",
			from: $$props.source || null
		});
		(($$value) => {
			var $$array = to_array($$value, 4);
			set(problem, $$array[0], true);
			set(tool, $$array[1], true);
			set(anchor, $$array[2], true);
			set(lineValues, $$array[3]);
		})([
			"",
			"",
			null,
			null
		]);
	});
	user_effect(() => {
		get(detector);
		(($$value) => {
			var $$array_1 = to_array($$value, 3);
			set(info, $$array_1[0]);
			set(cross, $$array_1[1]);
			set(hold, $$array_1[2], true);
		})([
			null,
			null,
			false
		]);
	});
	user_effect(() => {
		themed.count;
		const look = {
			contrast: shown.contrast,
			scale: shown.scale,
			map: shown.map,
			outside: rgb("--bg0"),
			invalid: rgb("--bg3")
		};
		say({
			kind: "look",
			look
		});
	});
	user_effect(() => void say({
		kind: "sight",
		sight: {
			...shown.sight,
			canvas: { ...get(box) },
			density: get(density)
		}
	}));
	user_effect(() => void say({
		kind: "hold",
		hold: get(hold)
	}));
	user_effect(() => void say({
		kind: "cross",
		at: get(at) && {
			x: get(at).x,
			y: get(at).y
		}
	}));
	user_effect(() => void say({
		kind: "line",
		line: get(line)
	}));
	function take(message) {
		if (message.kind === "picture") set(info, message.info);
		else if (message.kind === "problem") fail(message.text);
		else if (message.kind === "line") set(lineValues, message.values);
		else if (message.cross.row.length > 0 || !get(cross)) set(cross, message.cross);
		else set(cross, {
			...message.cross,
			row: get(cross).row,
			column: get(cross).column
		});
	}
	function fail(text) {
		set(problem, text, true);
		if (text && get(still)) (($$value) => {
			var $$array_2 = to_array($$value, 2);
			set(info, $$array_2[0]);
			set(cross, $$array_2[1]);
		})([null, null]);
	}
	const round = (n) => Math.floor(n);
	function pointAt(event) {
		const { x, y } = toArray(get(view), get(box), event.offsetX, event.offsetY);
		const whole = {
			x: round(x),
			y: round(y)
		};
		return whole.x >= 0 && whole.y >= 0 && whole.x < get(full).width && whole.y < get(full).height ? whole : null;
	}
	function wheel(event) {
		event.preventDefault();
		sightTo(zoomedAt(get(view), get(box), event.offsetX, event.offsetY, get(view).zoom * 2 ** (-event.deltaY / 400)));
	}
	function sightTo(next) {
		const fit = fitted(get(full), get(box));
		shown.sight = next.zoom <= fit.zoom * 1.001 && fit.zoom < 1 ? {
			zoom: "fit",
			x: 0,
			y: 0
		} : kept(next, get(full), get(box));
	}
	let drag = null;
	function press(event) {
		if (event.button !== 0) return;
		event.currentTarget.setPointerCapture(event.pointerId);
		if (get(tool)) return begin(pointAt(event));
		drag = {
			x: event.clientX,
			y: event.clientY,
			view: get(view),
			moved: false
		};
	}
	function movePointer(event) {
		set(hovered, pointAt(event), true);
		if (get(anchor) && event.buttons) return draw(toArray(get(view), get(box), event.offsetX, event.offsetY), false);
		if (!drag) return;
		const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
		if (!drag.moved && Math.hypot(dx, dy) < 4) return;
		drag.moved = true;
		if (shown.sight.zoom === "fit") return;
		sightTo({
			...drag.view,
			x: drag.view.x - dx / get(view).zoom,
			y: drag.view.y - dy / get(view).zoom
		});
	}
	function release(event) {
		if (get(anchor)) return finish();
		if (drag && !drag.moved) set(pinned, pointAt(event), true);
		drag = null;
	}
	function key(event) {
		const step = event.shiftKey ? 10 : 1;
		const by = {
			ArrowLeft: [-step, 0],
			ArrowRight: [step, 0],
			ArrowUp: [0, -step],
			ArrowDown: [0, step]
		}[event.key];
		if (by && get(at)) {
			event.preventDefault();
			set(hovered, null);
			set(pinned, {
				x: clamp(get(at).x + by[0], 0, get(full).width - 1),
				y: clamp(get(at).y + by[1], 0, get(full).height - 1)
			}, true);
			if (get(anchor)) draw(get(pinned), true);
		} else if (event.key === "r" && get(target)) begin(get(at), "region");
		else if (event.key === "l" && get(info)) begin(get(at), "line");
		else if (event.key === "Enter" && get(anchor)) finish();
		else if (event.key === "Escape" && get(tool)) cancel();
		else if (event.key === "+" || event.key === "=") zoomBy(2);
		else if (event.key === "-") zoomBy(.5);
		else if (event.key === "0") shown.sight = {
			zoom: "fit",
			x: 0,
			y: 0
		};
		else if (event.key === "h") set(hold, !get(hold));
	}
	function begin(from, wanted = get(tool)) {
		if (!from || wanted === "region" && !get(target)) return;
		(($$value) => {
			var $$array_3 = to_array($$value, 4);
			set(tool, $$array_3[0], true);
			set(anchor, $$array_3[1], true);
			set(pinned, $$array_3[2], true);
			set(hovered, $$array_3[3], true);
		})([
			wanted,
			from,
			from,
			null
		]);
		(($$value) => {
			var $$array_4 = to_array($$value, 2);
			set(aim, $$array_4[0], true);
			isDrawn = $$array_4[1];
		})([wanted === "region" ? get(target) : null, false]);
	}
	function draw(to, whole) {
		if (!get(anchor)) return;
		if (get(tool) === "region") {
			if (!get(aim)) return;
			const more = (a, b) => whole && b >= a ? b + 1 : b;
			isDrawn = true;
			wishRegion(get(aim), between(get(anchor).x, get(anchor).y, more(get(anchor).x, to.x), more(get(anchor).y, to.y), get(full)));
		} else {
			const [x1, y1] = [clamp(Math.floor(to.x), 0, get(full).width - 1), clamp(Math.floor(to.y), 0, get(full).height - 1)];
			place.set({ line: writeLine({
				x0: get(anchor).x,
				y0: get(anchor).y,
				x1,
				y1
			}) });
		}
	}
	function finish() {
		const node = isDrawn ? get(aim) : null;
		(($$value) => {
			var $$array_5 = to_array($$value, 3);
			set(tool, $$array_5[0], true);
			set(anchor, $$array_5[1], true);
			set(aim, $$array_5[2], true);
		})([
			"",
			null,
			null
		]);
		if (!node) return;
		choose()(node);
		tick().then(() => document.querySelector(`[data-region="${node}"]`)?.focus());
	}
	function cancel() {
		if (get(aim) && isDrawn) drafts.revert(get(aim));
		(($$value) => {
			var $$array_6 = to_array($$value, 3);
			set(tool, $$array_6[0], true);
			set(anchor, $$array_6[1], true);
			set(aim, $$array_6[2], true);
		})([
			"",
			null,
			null
		]);
	}
	function zoomBy(factor) {
		const middle = get(crossPlace) && get(inside) ? get(crossPlace) : {
			x: get(box).width / 2,
			y: get(box).height / 2
		};
		sightTo(zoomedAt(get(view), get(box), middle.x, middle.y, get(view).zoom * factor));
	}
	function resized(rect) {
		set(density, devicePixelRatio || 1, true);
		const whole = (n, up) => (up ? Math.ceil(n * get(density) - .001) : Math.floor(n * get(density) + .001)) / get(density);
		const [left, top] = [whole(rect.left, true), whole(rect.top, true)];
		const size = {
			width: Math.floor(whole(rect.right, false) - left),
			height: Math.floor(whole(rect.bottom, false) - top)
		};
		set(shift, {
			x: left - rect.left,
			y: top - rect.top
		}, true);
		if (size.width !== get(box).width || size.height !== get(box).height) set(box, size, true);
	}
	let room = state(void 0);
	user_effect(() => {
		if (!get(room)) return;
		const watched = get(room);
		const watch = new ResizeObserver(() => resized(watched.getBoundingClientRect()));
		watch.observe(watched);
		return () => watch.disconnect();
	});
	const summary = user_derived(() => get(info) ? `Picture of ${get(name)}: ${get(info).full.width} by ${get(info).full.height} ${get(info).dtype}, from ${short(get(info).min)} to ${short(get(info).max)}, mean ${short(get(info).mean)}. Arrow keys move the cross-hair, plus and minus zoom, 0 fits, ` + (get(still) ? "l begins a line, which Enter ends." : "h holds, r begins a region and l a line, which Enter ends.") : `Picture of ${get(name)}: none yet`);
	var section = root_12();
	var node_1 = child(section);
	Tools(node_1, {
		get source() {
			return $$props.source;
		},
		get still() {
			return get(still);
		},
		get info() {
			return get(info);
		},
		get target() {
			return get(target);
		},
		get view() {
			return get(view);
		},
		setZoom: (zoom) => sightTo({
			...get(view),
			zoom
		}),
		fit: () => shown.sight = {
			zoom: "fit",
			x: 0,
			y: 0
		},
		choose: (view) => place.set({
			view,
			zoom: "",
			range: ""
		}),
		get hold() {
			return get(hold);
		},
		set hold($$value) {
			set(hold, $$value, true);
		},
		get tool() {
			return get(tool);
		},
		set tool($$value) {
			set(tool, $$value, true);
		}
	});
	var div = sibling(node_1, 2);
	let classes;
	var div_1 = child(div);
	var node_2 = child(div_1);
	{
		let $0 = user_derived(() => get(cross)?.row ?? null);
		let $1 = user_derived(() => get(cross)?.x0 ?? 0);
		let $2 = user_derived(() => get(cross)?.step ?? 1);
		let $3 = user_derived(() => get(at)?.x ?? null);
		Profile(node_2, {
			get values() {
				return get($0);
			},
			get x0() {
				return get($1);
			},
			get step() {
				return get($2);
			},
			get view() {
				return get(view);
			},
			get box() {
				return get(box);
			},
			get at() {
				return get($3);
			}
		});
	}
	reset(div_1);
	var div_2 = sibling(div_1, 2);
	var node_3 = child(div_2);
	var consequent = ($$anchor) => {
		var fragment = root();
		var span = first_child(fragment);
		var b_1 = sibling(child(span));
		var text_1 = only_child(b_1, true);
		var b_2 = sibling(b_1, 2);
		var text_2 = only_child(b_2, true);
		reset(span);
		var strong = sibling(span, 2);
		var text_3 = only_child(strong, true);
		var small = sibling(strong, 2);
		var text_4 = only_child(small, true);
		template_effect(($0) => {
			set_text(text_1, get(at).x);
			set_text(text_2, get(at).y);
			set_text(text_3, $0);
			set_text(text_4, get(cross).exact || get(still) ? "counts" : "of the newest frame");
		}, [() => get(cross).x === get(at).x && get(cross).y === get(at).y ? (get(cross).value ?? "…").replace("-", "−") : "…"]);
		append($$anchor, fragment);
	};
	if_block(node_3, ($$render) => {
		if (get(at) && get(cross)) $$render(consequent);
	});
	reset(div_2);
	var div_3 = sibling(div_2, 2);
	var node_4 = child(div_3);
	var consequent_1 = ($$anchor) => {
		Axis($$anchor, {
			get view() {
				return get(view);
			},
			get box() {
				return get(box);
			}
		});
	};
	if_block(node_4, ($$render) => {
		if (get(info)) $$render(consequent_1);
	});
	reset(div_3);
	var div_4 = sibling(div_3, 2);
	var div_5 = child(div_4);
	let styles;
	var div_6 = child(div_5);
	let classes_1;
	var canvas_1 = child(div_6);
	let classes_2;
	let styles_1;
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	var node_5 = sibling(canvas_1, 2);
	var consequent_2 = ($$anchor) => {
		var svg = root_1();
		var path = child(svg);
		var circle = sibling(path);
		reset(svg);
		template_effect(() => {
			set_attribute(svg, "width", get(box).width);
			set_attribute(svg, "height", get(box).height);
			set_attribute(path, "d", `M${get(crossPlace).x ?? ""} 0V${get(box).height ?? ""}M0 ${get(crossPlace).y ?? ""}H${get(box).width ?? ""}`);
			set_attribute(circle, "cx", get(crossPlace).x);
			set_attribute(circle, "cy", get(crossPlace).y);
		});
		append($$anchor, svg);
	};
	if_block(node_5, ($$render) => {
		if (get(inside) && get(crossPlace)) $$render(consequent_2);
	});
	reset(div_6);
	var node_6 = sibling(div_6, 2);
	var consequent_5 = ($$anchor) => {
		var fragment_2 = root_3();
		var node_7 = first_child(fragment_2);
		var consequent_3 = ($$anchor) => {
			var div_7 = root_2();
			let classes_3;
			Regions(child(div_7), {
				get source() {
					return $$props.source;
				},
				get view() {
					return get(view);
				},
				get box() {
					return get(box);
				},
				get full() {
					return get(full);
				},
				get chosen() {
					return chosen();
				},
				get choose() {
					return choose();
				}
			});
			reset(div_7);
			template_effect(() => classes_3 = set_class(div_7, 1, "svelte-1hbwdai", null, classes_3, { through: get(tool) !== "" }));
			append($$anchor, div_7);
		};
		if_block(node_7, ($$render) => {
			if (!get(still)) $$render(consequent_3);
		});
		var node_9 = sibling(node_7, 2);
		var consequent_4 = ($$anchor) => {
			var fragment_3 = comment();
			var node_10 = first_child(fragment_3);
			await_block(node_10, () => __vitePreload(() => import("./Line2.js"), __vite__mapDeps([0,1,2,3,4,5]), import.meta.url), null, ($$anchor, $$source) => {
				var $$value = user_derived(() => {
					var { default: LineOverlay } = get($$source);
					return { LineOverlay };
				});
				var LineOverlay = user_derived(() => get($$value).LineOverlay);
				var fragment_4 = comment();
				var node_11 = first_child(fragment_4);
				component(node_11, () => get(LineOverlay), ($$anchor, LineOverlay_1) => {
					LineOverlay_1($$anchor, {
						get view() {
							return get(view);
						},
						get box() {
							return get(box);
						},
						get full() {
							return get(full);
						}
					});
				});
				append($$anchor, fragment_4);
			});
			append($$anchor, fragment_3);
		};
		if_block(node_9, ($$render) => {
			if (get(line)) $$render(consequent_4);
		});
		append($$anchor, fragment_2);
	};
	if_block(node_6, ($$render) => {
		if (get(info)) $$render(consequent_5);
	});
	var node_12 = sibling(node_6, 2);
	var consequent_6 = ($$anchor) => {
		var p = root_4();
		var text_5 = only_child(p, true);
		template_effect(() => set_text(text_5, get(problem)));
		append($$anchor, p);
	};
	var consequent_7 = ($$anchor) => {
		var p_1 = root_5();
		var text_6 = only_child(p_1, true);
		template_effect(() => set_text(text_6, get(still) ? `Reading ${get(name)} …` : $$props.source ? `Waiting for a frame of ${$$props.source} …` : "Nothing in this run sends pictures."));
		append($$anchor, p_1);
	};
	var consequent_8 = ($$anchor) => {
		var p_2 = root_6();
		var text_7 = only_child(p_2);
		template_effect(() => set_text(text_7, `${$$props.source ?? ""} has sent nothing for 2 s; this is its newest frame.`));
		append($$anchor, p_2);
	};
	if_block(node_12, ($$render) => {
		if (get(problem)) $$render(consequent_6);
		else if (!get(info)) $$render(consequent_7, 1);
		else if (get(info).held && !get(hold)) $$render(consequent_8, 2);
	});
	var node_13 = sibling(node_12, 2);
	var consequent_9 = ($$anchor) => {
		var p_3 = root_7();
		var text_8 = only_child(p_3);
		template_effect(() => set_text(text_8, `${get(tool) === "region" ? `Draw the region of ${get(aim) ?? get(target)}.` : "Draw a line."}
          ${get(anchor) ? "Arrow keys size it, Enter ends, Esc takes it back." : "Drag on the picture; Esc ends."}`));
		append($$anchor, p_3);
	};
	var consequent_10 = ($$anchor) => {
		var p_4 = root_8();
		append($$anchor, p_4);
	};
	if_block(node_13, ($$render) => {
		if (get(tool)) $$render(consequent_9);
		else if (get(hold)) $$render(consequent_10, 1);
	});
	reset(div_5);
	reset(div_4);
	bind_this(div_4, ($$value) => set(room, $$value), () => get(room));
	var div_8 = sibling(div_4, 2);
	var node_14 = child(div_8);
	{
		let $0 = user_derived(() => get(cross)?.column ?? null);
		let $1 = user_derived(() => get(cross)?.y0 ?? 0);
		let $2 = user_derived(() => get(cross)?.step ?? 1);
		let $3 = user_derived(() => get(at)?.y ?? null);
		Profile(node_14, {
			upright: true,
			get values() {
				return get($0);
			},
			get x0() {
				return get($1);
			},
			get step() {
				return get($2);
			},
			get view() {
				return get(view);
			},
			get box() {
				return get(box);
			},
			get at() {
				return get($3);
			}
		});
	}
	reset(div_8);
	var node_15 = sibling(div_8, 2);
	var consequent_11 = ($$anchor) => {
		var div_9 = root_9();
		var node_16 = child(div_9);
		await_block(node_16, () => __vitePreload(() => import("./LineProfile.js"), __vite__mapDeps([6,1,7,2,8,9,10,11,3,12]), import.meta.url), null, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: LineProfile } = get($$source);
				return { LineProfile };
			});
			var LineProfile = user_derived(() => get($$value).LineProfile);
			var fragment_5 = comment();
			var node_17 = first_child(fragment_5);
			{
				let $0 = user_derived(() => get(info).reduce === "none" ? "" : ` (${get(info).reduce} of ${get(info).bin}×${get(info).bin})`);
				component(node_17, () => get(LineProfile), ($$anchor, LineProfile_1) => {
					LineProfile_1($$anchor, {
						get line() {
							return get(line);
						},
						get values() {
							return get(lineValues);
						},
						remove: () => place.set({ line: "" }),
						get reduced() {
							return get($0);
						}
					});
				});
			}
			append($$anchor, fragment_5);
		});
		reset(div_9);
		append($$anchor, div_9);
	};
	if_block(node_15, ($$render) => {
		if (get(line) && get(info)) $$render(consequent_11);
	});
	var div_10 = sibling(node_15, 2);
	HistogramBar(child(div_10), { get info() {
		return get(info);
	} });
	reset(div_10);
	var div_11 = sibling(div_10, 2);
	var node_19 = child(div_11);
	var consequent_13 = ($$anchor) => {
		var fragment_6 = root_11();
		var span_1 = first_child(fragment_6);
		var b_3 = child(span_1);
		var text_9 = only_child(b_3, true);
		var b_4 = sibling(b_3, 2);
		var text_10 = only_child(b_4, true);
		reset(span_1);
		var span_2 = sibling(span_1, 2);
		var b_5 = sibling(child(span_2));
		var text_11 = only_child(b_5, true);
		reset(span_2);
		var span_3 = sibling(span_2, 2);
		var text_12 = only_child(span_3);
		var node_20 = sibling(span_3, 2);
		var consequent_12 = ($$anchor) => {
			var span_4 = root_10();
			var text_13 = only_child(span_4);
			template_effect(($0) => set_text(text_13, `${$0 ?? ""} not numbers`), [() => count(get(info).invalid)]);
			append($$anchor, span_4);
		};
		if_block(node_20, ($$render) => {
			if (get(info).invalid > 0) $$render(consequent_12);
		});
		var span_5 = sibling(node_20, 2);
		var text_14 = only_child(span_5);
		template_effect(($0, $1, $2, $3, $4) => {
			set_text(text_9, $0);
			set_text(text_10, $1);
			set_text(text_11, $2);
			set_attribute(span_3, "title", `Pixels at the largest value of ${get(info).dtype ?? ""}`);
			set_text(text_12, `${$3 ?? ""} at limit`);
			set_text(text_14, `${$4 ?? ""}${get(info).bin > 1 ? ` · ${get(info).bin}×${get(info).bin} ${get(info).reduce}` : ""}`);
		}, [
			() => short(get(info).low),
			() => short(get(info).high),
			() => short(get(info).mean),
			() => count(get(info).atLimit),
			() => get(still) ? "" : `${rate(get(info).shownHz)}/s`
		]);
		append($$anchor, fragment_6);
	};
	if_block(node_19, ($$render) => {
		if (get(info)) $$render(consequent_13);
	});
	reset(div_11);
	reset(div);
	reset(section);
	template_effect(() => {
		classes = set_class(div, 1, "grid svelte-1hbwdai", null, classes, { lined: get(line) !== null && get(info) !== null });
		styles = set_style(div_5, "", styles, {
			left: `${get(shift).x ?? ""}px`,
			top: `${get(shift).y ?? ""}px`,
			width: `${get(box).width ?? ""}px`,
			height: `${get(box).height ?? ""}px`
		});
		classes_1 = set_class(div_6, 1, "stage svelte-1hbwdai", null, classes_1, { drawing: get(tool) !== "" });
		set_attribute(div_6, "aria-label", get(summary));
		set_attribute(div_6, "data-sequence", get(info)?.sequence);
		classes_2 = set_class(canvas_1, 1, "svelte-1hbwdai", null, classes_2, { blank: get(still) && !get(info) });
		styles_1 = set_style(canvas_1, "", styles_1, {
			width: `${get(box).width ?? ""}px`,
			height: `${get(box).height ?? ""}px`
		});
	});
	delegated("keydown", div_6, key);
	event("wheel", div_6, wheel);
	delegated("pointerdown", div_6, press);
	delegated("pointermove", div_6, movePointer);
	delegated("pointerup", div_6, release);
	event("pointerleave", div_6, () => set(hovered, null));
	append($$anchor, section);
	pop();
}
delegate([
	"keydown",
	"pointerdown",
	"pointermove",
	"pointerup"
]);
export { Picture as t };
