import { $t as reset, At as from_html, Bt as user_effect, Ht as child, I as short, It as get, Jt as state, Kt as proxy, O as colour, Ot as append, Xt as pop, Zt as push, at as prop, d as ticks, dt as set_attribute, l as colours, m as themed, ot as bind_this, qt as set, u as placer, zt as template_effect } from "./page.js";
// src/model/columns.ts
var TIMES = [
	"start",
	"time",
	"begin",
	"tick"
];
var PLACES = [
	"channel",
	"wire",
	"link"
];
var SIZES = [
	"sum",
	"charge",
	"adc",
	"peak"
];
var firstLike = (names, wanted) => wanted.map((word) => names.find((name) => name.includes(word))).find(Boolean);
function usual(names) {
	const x = firstLike(names, TIMES) ?? names[0] ?? "";
	const y = firstLike(names.filter((name) => name !== x), PLACES) ?? names.find((name) => name !== x) ?? "";
	return {
		x,
		y,
		colour: firstLike(names.filter((name) => name !== x && name !== y), SIZES) ?? ""
	};
}
function numbers(column) {
	if (!(column instanceof BigInt64Array || column instanceof BigUint64Array)) return {
		values: Float64Array.from(column),
		from: "0"
	};
	let smallest = column[0] ?? 0n;
	for (const value of column) if (value < smallest) smallest = value;
	return {
		values: Float64Array.from(column, (value) => Number(value - smallest)),
		from: smallest.toString()
	};
}
function extent(values) {
	let [low, high] = [Infinity, -Infinity];
	for (const value of values) {
		if (value < low) low = value;
		if (value > high) high = value;
	}
	if (low > high) return [0, 1];
	return low === high ? [low - .5, high + .5] : [low, high];
}
function joined(tables) {
	const last = tables.at(-1);
	if (!last || tables.length === 1) return last ?? new Map();
	const all = new Map();
	for (const [name, column] of last) {
		const parts = tables.map((table) => table.get(name)).filter((part) => part?.constructor === column.constructor);
		const whole = new column.constructor(parts.reduce((sum, part) => sum + part.length, 0));
		let at = 0;
		for (const part of parts) {
			whole.set(part, at);
			at += part.length;
		}
		all.set(name, whole);
	}
	return all;
}
// src/parts/points.ts
var [LEFT, BOTTOM] = [72, 26];
function drawPoints(canvas, now, axes, size, marks = {}) {
	const density = devicePixelRatio || 1;
	[canvas.width, canvas.height] = [Math.max(1, size.width * density), Math.max(1, size.height * density)];
	const pen = canvas.getContext("2d");
	pen.scale(density, density);
	const [xs, ys] = [now.get(axes.x), now.get(axes.y)];
	if (!xs || !ys) return;
	const [x, y] = [numbers(xs), numbers(ys)];
	const [width, height] = [size.width - LEFT - 12, size.height - BOTTOM - 8];
	const [[x0, x1], [y0, y1]] = [marks.range ?? extent(x.values), extent(y.values)];
	const across = (v) => LEFT + (v - x0) / (x1 - x0) * width;
	const up = (v) => 8 + height - (v - y0) / (y1 - y0) * height;
	pen.font = "11px Inter, system-ui, sans-serif";
	pen.fillStyle = colour("--faint");
	pen.strokeStyle = colour("--line");
	pen.textAlign = "center";
	for (const tick of ticks(x0, x1, width / 110)) pen.fillText(short(tick, 7), across(tick), size.height - 8);
	pen.textAlign = "right";
	for (const tick of ticks(y0, y1, Math.max(1, height / 60))) {
		pen.fillText(short(tick, 7), LEFT - 8, up(tick) + 4);
		line(pen, LEFT, up(tick), size.width - 12, up(tick));
	}
	if (marks.at !== void 0) {
		pen.strokeStyle = colour("--accent");
		pen.setLineDash([4, 3]);
		line(pen, across(marks.at), 8, across(marks.at), 8 + height);
		pen.setLineDash([]);
	}
	const third = now.get(axes.colour);
	const tones = third ? numbers(third).values : null;
	const map = colours("viridis");
	const tone = tones ? placer(...extent(tones), "root") : null;
	const dot = x.values.length > 5e3 ? 1.5 : 3;
	pen.fillStyle = colour("--s1");
	for (let i = 0; i < x.values.length; i++) {
		if (tones && tone) {
			const at = Math.round(40 + tone(tones[i]) * 215) * 4;
			pen.fillStyle = `rgb(${map[at]} ${map[at + 1]} ${map[at + 2]})`;
		}
		pen.fillRect(across(x.values[i]) - dot / 2, up(y.values[i]) - dot / 2, dot, dot);
	}
}
function line(pen, x0, y0, x1, y1) {
	pen.beginPath();
	pen.moveTo(x0, y0);
	pen.lineTo(x1, y1);
	pen.stroke();
}
// src/parts/Points.svelte
var root = from_html(`<div class="points svelte-12gf38j"><canvas class="svelte-12gf38j"></canvas></div>`);
function Points($$anchor, $$props) {
	push($$props, true);
	let marks = prop($$props, "marks", 19, () => ({}));
	let canvas;
	let room;
	let box = state(proxy({
		width: 300,
		height: 200
	}));
	user_effect(() => {
		const watch = new ResizeObserver(() => set(box, {
			width: room.clientWidth,
			height: room.clientHeight
		}, true));
		watch.observe(room);
		return () => watch.disconnect();
	});
	user_effect(() => {
		themed.count;
		drawPoints(canvas, $$props.columns, $$props.axes, get(box), marks());
	});
	var div = root();
	var canvas_1 = child(div);
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	reset(div);
	bind_this(div, ($$value) => room = $$value, () => room);
	template_effect(() => set_attribute(canvas_1, "aria-label", $$props.label));
	append($$anchor, div);
	pop();
}
export { joined as n, usual as r, Points as t };
