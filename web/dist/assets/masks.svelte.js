import { It as get, Jt as state, Yt as user_derived, qt as set, z as run } from "./page.js";
// src/model/npy.ts
var BEFORE = 10;
function npyFile(descr, shape, values) {
	const says = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(", ")}), }`;
	const head = `${says}${" ".repeat(63 - (BEFORE + says.length) % 64)}\n`;
	const file = new Uint8Array(BEFORE + head.length + values.length);
	file.set([
		147,
		...new TextEncoder().encode("NUMPY"),
		1,
		0,
		head.length & 255,
		head.length >> 8
	]);
	file.set(new TextEncoder().encode(head), BEFORE);
	file.set(values, BEFORE + head.length);
	return file;
}
// src/model/mask.ts
var MOST_PIXELS = 1 << 26;
function readPlace(text, full) {
	const numbers = (text ?? "").split(",").map((part) => /^\d+$/.test(part) ? Number(part) : NaN);
	if (numbers.length !== 6 || !numbers.every(Number.isSafeInteger)) return null;
	const side = (size, [offset, bin, reverse]) => ({
		size,
		offset,
		bin: Math.max(1, bin),
		reverse: reverse === 1
	});
	return {
		x: side(full.width, numbers.slice(0, 3)),
		y: side(full.height, numbers.slice(3))
	};
}
var endOf = ({ size, offset, bin }) => offset + size * bin;
var extentOf = ({ x, y }) => ({
	width: endOf(x),
	height: endOf(y)
});
function onDetector({ size, offset, bin, reverse }, from, length) {
	return [offset + (reverse ? size - from - length : from) * bin, length * bin];
}
function onPicture({ size, offset, bin, reverse }, from, length) {
	const first = Math.max(0, Math.floor((from - offset) / bin));
	const end = Math.min(size, Math.ceil((from + length - offset) / bin));
	const found = Math.max(0, end - first);
	return [reverse ? size - first - found : first, found];
}
var both = (sensor, { x, y, width, height }, of) => {
	const [[x0, w], [y0, h]] = [of(sensor.x, x, width), of(sensor.y, y, height)];
	return {
		x: x0,
		y: y0,
		width: w,
		height: h
	};
};
var toDetector = (sensor, region) => both(sensor, region, onDetector);
var toPicture = (sensor, region) => both(sensor, region, onPicture);
var row = (y, from, end) => ({
	x: from,
	y,
	width: end - from,
	height: 1
});
function clipped(region, { width, height }) {
	const [x0, y0] = [Math.max(0, region.x), Math.max(0, region.y)];
	const [x1, y1] = [Math.min(width, region.x + region.width), Math.min(height, region.y + region.height)];
	return x1 > x0 && y1 > y0 ? [{
		x: x0,
		y: y0,
		width: x1 - x0,
		height: y1 - y0
	}] : [];
}
function rectangle(a, b, picture) {
	const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
	return clipped({
		x,
		y,
		width: Math.abs(a.x - b.x) + 1,
		height: Math.abs(a.y - b.y) + 1
	}, picture);
}
function stroke(a, b, width, picture) {
	const reach = width / 2;
	const [dx, dy] = [b.x - a.x, b.y - a.y];
	const length = dx * dx + dy * dy;
	const isIn = (x, y) => {
		const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - a.x) * dx + (y - a.y) * dy) / length));
		return Math.hypot(x - a.x - along * dx, y - a.y - along * dy) <= reach;
	};
	return clipped({
		x: Math.floor(Math.min(a.x, b.x) - reach),
		y: Math.floor(Math.min(a.y, b.y) - reach),
		width: Math.abs(dx) + 2 * Math.ceil(reach) + 1,
		height: Math.abs(dy) + 2 * Math.ceil(reach) + 1
	}, picture).flatMap((box) => rowsOf(box, isIn));
}
function polygon(corners, picture) {
	const sides = corners.map((corner, i) => [corner, corners[(i + 1) % corners.length]]);
	const outline = sides.flatMap(([a, b]) => stroke(a, b, 1, picture));
	const rows = Array.from({ length: picture.height }, (_, y) => {
		const cuts = sides.filter(([a, b]) => a.y > y !== b.y > y).map(([a, b]) => a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
		cuts.sort((a, b) => a - b);
		return Array.from({ length: cuts.length >> 1 }, (_, i) => {
			const from = Math.ceil(cuts[2 * i]);
			return {
				x: from,
				y,
				width: Math.floor(cuts[2 * i + 1]) + 1 - from,
				height: 1
			};
		});
	});
	return [...outline, ...rows.flat().flatMap((region) => clipped(region, picture))];
}
function rowsOf({ x, y, width, height }, isIn) {
	const found = [];
	for (let at = y; at < y + height; at++) {
		let from = -1;
		for (let i = x; i <= x + width; i++) {
			const within = i < x + width && isIn(i, at);
			if (within && from < 0) from = i;
			if (!within && from >= 0) {
				found.push(row(at, from, i));
				from = -1;
			}
		}
	}
	return found;
}
function maskOf(steps, { width, height }) {
	if (!(width * height <= MOST_PIXELS)) return null;
	const bits = new Uint8Array(width * height);
	for (const { add, regions } of steps) for (const region of regions.flatMap((region) => clipped(region, {
		width,
		height
	}))) for (let y = region.y; y < region.y + region.height; y++) bits.fill(add ? 1 : 0, y * width + region.x, y * width + region.x + region.width);
	return {
		bits,
		width,
		height
	};
}
function around(steps, size) {
	const all = steps.filter((step) => step.add).flatMap((step) => step.regions).flatMap((region) => clipped(region, size));
	if (all.length === 0) return null;
	let [x0, y0, x1, y1] = [
		Infinity,
		Infinity,
		0,
		0
	];
	for (const { x, y, width, height } of all) [x0, y0, x1, y1] = [
		Math.min(x0, x),
		Math.min(y0, y),
		Math.max(x1, x + width),
		Math.max(y1, y + height)
	];
	return {
		x: x0,
		y: y0,
		width: x1 - x0,
		height: y1 - y0
	};
}
function piecesOf(mask, steps) {
	const box = around(steps, mask);
	if (!box) return [];
	const done = [];
	let open = new Map();
	for (const piece of rowsOf(box, (x, y) => mask.bits[y * mask.width + x] === 1)) {
		const key = `${piece.x},${piece.width}`;
		const above = open.get(key);
		if (above && above.y + above.height === piece.y) above.height++;
		else {
			if (above) done.push(above);
			open.set(key, piece);
		}
	}
	done.push(...open.values());
	open = new Map();
	return done.sort((a, b) => a.y - b.y || a.x - b.x);
}
var countOf = (pieces) => pieces.reduce((sum, { width, height }) => sum + width * height, 0);
var MOST_ALONE = 1e5;
function listOf(pieces, fix, byRectangles) {
	const entry = (x, y, size) => JSON.stringify({
		Pixel: [x, y],
		...size && (size[0] > 1 || size[1] > 1) ? { Size: size } : {},
		...fix
	});
	const grouped = byRectangles || countOf(pieces) > MOST_ALONE;
	const entries = pieces.flatMap(({ x, y, width, height }) => grouped ? [entry(x, y, [width, height])] : Array.from({ length: width * height }, (_, i) => entry(x + i % width, y + Math.floor(i / width))));
	return `{"Bad pixels": [${entries.length ? `\n${entries.join(",\n")}\n` : ""}]}\n`;
}
function npyOf({ bits, width, height }) {
	return npyFile("|u1", [height, width], bits.map((bad) => 1 - bad));
}
var KEEPS = new Set([
	"roi",
	"bad_pixels",
	"corrections",
	"color_convert",
	"attributes",
	"circular_buffer",
	"compress",
	"decompress",
	"overlay",
	"process",
	"gather",
	"scatter",
	"statistics",
	"image",
	"transform"
]);
var TURNS = /^rot(90|270)/;
function detectorBehind(output, known) {
	const [sources, seen, todo] = [
		new Set(),
		new Set(),
		[output]
	];
	for (let from = todo.pop(); from !== void 0; from = todo.pop()) {
		const [name = "", port = "out"] = from.split(".");
		if (seen.has(from)) continue;
		seen.add(from);
		if (known.isSource(name)) {
			sources.add(name);
			continue;
		}
		const why = whyNot(name, port, known);
		if (why) return { why };
		todo.push(...known.inputs(name));
	}
	if (sources.size === 1) return { source: [...sources][0] };
	return { why: sources.size === 0 ? "no source leads to it" : `pictures of ${[...sources].sort().join(" and ")} come together in it` };
}
function whyNot(name, port, known) {
	const type = known.type(name) ?? "not known";
	if (!KEEPS.has(type) || !port.startsWith("out")) return `${name} (${type}) makes pictures of its own, whose pixels are none of a detector`;
	if (type !== "transform") return "";
	const operation = known.operation(name);
	if (operation === void 0) return `it is not known yet how ${name} (transform) turns pictures`;
	return TURNS.test(String(operation)) ? `${name} (transform) makes columns of rows: draw on the picture before it` : "";
}
// src/model/masks.svelte.ts
var SHAPES = [
	["rectangle", "Rectangle"],
	["polygon", "Polygon"],
	["brush", "Brush"]
];
var known = {
	type: (node) => run.node(node)?.type,
	isSource: (node) => run.node(node)?.kind === "source",
	inputs: (node) => run.edgesTo(node).map((edge) => edge.from),
	operation: (node) => run.value(node, "operation")
};
var detectorOfOutput = (output) => detectorBehind(output, known);
var handlersOf = (source) => run.nodes.filter(({ name, type }) => type === "bad_pixels" && run.edgesTo(name).some(({ from }) => {
	const found = detectorOfOutput(from);
	return "source" in found && found.source === source;
})).map(({ name }) => name);
var turning = () => run.nodes.filter(({ type, kind }) => type === "transform" || kind === "source").map(({ name }) => name);
var NOTHING = {
	steps: [],
	undone: [],
	size: {
		width: 0,
		height: 0
	}
};
var Masks = class {
	#shape = state("rectangle");
	get shape() {
		return get(this.#shape);
	}
	set shape(value) {
		set(this.#shape, value, true);
	}
	#adds = state(true);
	get adds() {
		return get(this.#adds);
	}
	set adds(value) {
		set(this.#adds, value, true);
	}
	#width = state(5);
	get width() {
		return get(this.#width);
	}
	set width(value) {
		set(this.#width, value, true);
	}
	#source = state("");
	get source() {
		return get(this.#source);
	}
	set source(value) {
		set(this.#source, value, true);
	}
	#all = state({});
	get all() {
		return get(this.#all);
	}
	set all(value) {
		set(this.#all, value);
	}
	#drawn = user_derived(() => this.all[this.source] ?? NOTHING);
	get drawn() {
		return get(this.#drawn);
	}
	set drawn(value) {
		set(this.#drawn, value);
	}
	#mask = user_derived(() => maskOf(this.drawn.steps, this.drawn.size));
	get mask() {
		return get(this.#mask);
	}
	set mask(value) {
		set(this.#mask, value);
	}
	#pieces = user_derived(() => this.mask ? piecesOf(this.mask, this.drawn.steps) : []);
	get pieces() {
		return get(this.#pieces);
	}
	set pieces(value) {
		set(this.#pieces, value);
	}
	get size() {
		return this.drawn.size;
	}
	get mayUndo() {
		return this.drawn.steps.length > 0;
	}
	get mayRedo() {
		return this.drawn.undone.length > 0;
	}
	turnTo(source, { width, height }) {
		this.source = source;
		const { size } = this.drawn;
		if (width <= size.width && height <= size.height) return;
		this.change({ size: {
			width: Math.max(width, size.width),
			height: Math.max(height, size.height)
		} });
	}
	draw(regions, add = this.adds) {
		if (regions.length > 0) this.change({
			steps: [...this.drawn.steps, {
				add,
				regions
			}],
			undone: []
		});
	}
	undo() {
		const last = this.drawn.steps.at(-1);
		if (last) this.change({
			steps: this.drawn.steps.slice(0, -1),
			undone: [...this.drawn.undone, last]
		});
	}
	redo() {
		const last = this.drawn.undone.at(-1);
		if (last) this.change({
			steps: [...this.drawn.steps, last],
			undone: this.drawn.undone.slice(0, -1)
		});
	}
	clear() {
		if (this.pieces.length > 0) this.draw([{
			x: 0,
			y: 0,
			...this.size
		}], false);
	}
	change(what) {
		this.all = {
			...this.all,
			[this.source]: {
				...this.drawn,
				...what
			}
		};
	}
};
var masks = new Masks();
export { turning as a, listOf as c, readPlace as d, rectangle as f, toPicture as h, masks as i, npyOf as l, toDetector as m, detectorOfOutput as n, countOf as o, stroke as p, handlersOf as r, extentOf as s, SHAPES as t, polygon as u };
