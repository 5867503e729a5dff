// src/model/roi.ts
var HANDLES = [
	"nw",
	"n",
	"ne",
	"e",
	"se",
	"s",
	"sw",
	"w"
];
var asNumber = (value, otherwise) => typeof value === "number" ? value : otherwise;
function regionOf(values, input) {
	const [x, width] = along(values, "x", input.width);
	const [y, height] = along(values, "y", input.height);
	return {
		x,
		y,
		width,
		height
	};
}
function along(values, axis, whole) {
	if (values(`enable_${axis}`) === false) return [0, whole];
	const start = clamp(asNumber(values(`min_${axis}`), 0), 0, Math.max(0, whole - 1));
	const left = whole - start;
	if (values(`auto_size_${axis}`) === true) return [start, left];
	return [start, clamp(asNumber(values(`size_${axis}`), left), 1, left)];
}
function parametersOf(region, values) {
	const set = {
		min_x: region.x,
		min_y: region.y,
		size_x: region.width,
		size_y: region.height
	};
	for (const axis of ["x", "y"]) {
		if (values(`enable_${axis}`) === false) set[`enable_${axis}`] = true;
		if (values(`auto_size_${axis}`) === true) set[`auto_size_${axis}`] = false;
	}
	return set;
}
function dragged(from, handle, dx, dy, input) {
	const [mx, my] = [Math.round(dx), Math.round(dy)];
	if (handle === "move") return {
		...from,
		x: clamp(from.x + mx, 0, input.width - from.width),
		y: clamp(from.y + my, 0, input.height - from.height)
	};
	const [x, width] = side(from.x, from.width, mx, handle.includes("w"), handle.includes("e"), input.width);
	const [y, height] = side(from.y, from.height, my, handle.includes("n"), handle.includes("s"), input.height);
	return {
		x,
		y,
		width,
		height
	};
}
function side(at, size, by, low, high, whole) {
	if (low) {
		const start = clamp(at + by, 0, at + size - 1);
		return [start, at + size - start];
	}
	return [at, high ? clamp(size + by, 1, whole - at) : size];
}
function between(x0, y0, x1, y1, input) {
	const [x, width] = interval(x0, x1, input.width);
	const [y, height] = interval(y0, y1, input.height);
	return {
		x,
		y,
		width,
		height
	};
}
function interval(a, b, whole) {
	const low = clamp(Math.floor(Math.min(a, b)), 0, whole - 1);
	return [low, clamp(Math.ceil(Math.max(a, b)), low + 1, whole) - low];
}
function drawnBy(all, chosen, input) {
	const free = all.filter(({ region }) => sameRegion(region, {
		x: 0,
		y: 0,
		...input
	}));
	const first = (some) => (some.find(({ name }) => name === chosen) ?? some[0])?.name;
	return first(free) ?? first(all) ?? null;
}
function clamp(value, low, high) {
	return Math.min(Math.max(value, low), Math.max(low, high));
}
var sameRegion = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
// src/picture/view.ts
function fitted(array, canvas) {
	const zoom = Math.min(canvas.width / Math.max(1, array.width), canvas.height / Math.max(1, array.height));
	return {
		zoom: Math.max(zoom, 1e-6),
		x: array.width / 2,
		y: array.height / 2
	};
}
var toArray = (view, canvas, x, y) => ({
	x: view.x + (x - canvas.width / 2) / view.zoom,
	y: view.y + (y - canvas.height / 2) / view.zoom
});
var toCanvas = (view, canvas, x, y) => ({
	x: (x - view.x) * view.zoom + canvas.width / 2,
	y: (y - view.y) * view.zoom + canvas.height / 2
});
function zoomedAt(view, canvas, x, y, zoom) {
	const at = toArray(view, canvas, x, y);
	return {
		zoom,
		x: at.x - (x - canvas.width / 2) / zoom,
		y: at.y - (y - canvas.height / 2) / zoom
	};
}
function kept(view, array, canvas) {
	const smallest = Math.min(1, fitted(array, canvas).zoom);
	const zoom = clamp(view.zoom, smallest, 64);
	const keep = (at, whole, room) => {
		const seen = room / zoom;
		const middle = seen >= whole ? whole / 2 : clamp(at, seen / 2, whole - seen / 2);
		return (room / 2 - Math.round(room / 2 - middle * zoom)) / zoom;
	};
	return {
		zoom,
		x: keep(view.x, array.width, canvas.width),
		y: keep(view.y, array.height, canvas.height)
	};
}
function ticks(low, high, wanted) {
	const rough = (high - low) / Math.max(1, wanted);
	if (!(rough > 0) || !Number.isFinite(rough)) return [];
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = power * ([
		1,
		2,
		5,
		10
	].find((n) => n * power >= rough) ?? 10);
	const first = Math.ceil(low / step - 1e-9);
	const n = Math.floor(high / step + 1e-9) - first + 1;
	return Array.from({ length: Math.max(0, Math.min(n, 100)) }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
export { toCanvas as a, between as c, drawnBy as d, parametersOf as f, toArray as i, clamp as l, sameRegion as m, kept as n, zoomedAt as o, regionOf as p, ticks as r, HANDLES as s, fitted as t, dragged as u };
