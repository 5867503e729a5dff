new Float32Array(new Uint32Array(1).buffer);
function warp(value, scale) {
	if (scale === "linear") return value;
	const size = Math.abs(value);
	const warped = scale === "log" ? Math.log(1 + size) : Math.sqrt(size);
	return value < 0 ? -warped : warped;
}
function unwarp(warped, scale) {
	if (scale === "linear") return warped;
	const size = Math.abs(warped);
	const value = scale === "log" ? Math.exp(size) - 1 : size * size;
	return warped < 0 ? -value : value;
}
function placer(low, high, scale) {
	const from = warp(low, scale);
	const width = warp(high, scale) - from || 1;
	return (value) => Math.min(1, Math.max(0, (warp(value, scale) - from) / width));
}
// src/picture/maps.ts
var MAP_NAMES = [
	"ice",
	"grey",
	"inverse",
	"viridis",
	"inferno",
	"spectrum"
];
var MAP_TITLES = {
	ice: "Ice",
	grey: "Grey",
	inverse: "Grey inverse",
	viridis: "Viridis",
	inferno: "Inferno",
	spectrum: "Spectrum"
};
var even = (...colours) => colours.map((c, i) => [
	i / (colours.length - 1),
	c >> 16,
	c >> 8 & 255,
	c & 255
]);
var STOPS = {
	ice: [
		[
			0,
			6,
			9,
			18
		],
		[
			.18,
			16,
			33,
			58
		],
		[
			.36,
			22,
			66,
			98
		],
		[
			.54,
			41,
			112,
			138
		],
		[
			.7,
			92,
			160,
			170
		],
		[
			.84,
			170,
			208,
			200
		],
		[
			.94,
			228,
			236,
			214
		],
		[
			1,
			255,
			252,
			238
		]
	],
	grey: even(0, 16777215),
	inverse: even(16777215, 0),
	viridis: even(4456788, 4664699, 3887755, 2912910, 2199948, 2666112, 6211938, 11394096, 16639781),
	inferno: even(4, 2165834, 5705838, 9052778, 12334932, 14965297, 16354825, 16370485, 16580516),
	spectrum: even(3150395, 4612823, 3582713, 1762486, 7536222, 13168436, 16431673, 16149273, 13314564, 7996419)
};
function colours(name) {
	const stops = STOPS[name];
	const table = new Uint8Array(1024);
	for (let i = 0; i < 256; i++) table.set([...colourAt(stops, i / 255), 255], i * 4);
	return table;
}
function colourAt(stops, at) {
	const next = Math.max(1, stops.findIndex((stop) => stop[0] >= at));
	const [a, b] = [stops[next - 1], stops[next]];
	const part = Math.min(1, Math.max(0, (at - a[0]) / (b[0] - a[0])));
	const mix = (k) => Math.round(a[k] + (b[k] - a[k]) * part);
	return [
		mix(1),
		mix(2),
		mix(3)
	];
}
function gradient(name, angle = "90deg") {
	return `linear-gradient(${angle}, ${STOPS[name].map(([at, r, g, b]) => `rgb(${r} ${g} ${b}) ${(at * 100).toFixed(1)}%`).join(", ")})`;
}
export { placer as a, gradient as i, MAP_TITLES as n, unwarp as o, colours as r, warp as s, MAP_NAMES as t };
