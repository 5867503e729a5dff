// src/model/units.ts
var THIN = " ";
var MINUS = "−";
function count(n) {
	if (n === null || n === void 0 || typeof n === "number" && !Number.isFinite(n)) return "–";
	const text = typeof n === "bigint" ? n.toString() : Math.round(n).toString();
	const [sign, digits] = text.startsWith("-") ? [MINUS, text.slice(1)] : ["", text];
	return sign + digits.replace(/\B(?=(\d{3})+$)/g, THIN);
}
function short(x, digits = 4) {
	if (x === null || x === void 0 || !Number.isFinite(x)) return "–";
	if (x === 0) return "0";
	const size = Math.floor(Math.log10(Math.abs(x)));
	if (size >= 15 || size < -6) return x.toExponential(digits - 1).replace("-", MINUS);
	const decimals = Math.max(0, Math.min(digits - 1 - size, 9));
	const [whole = "", part] = Math.abs(x).toFixed(decimals).split(".");
	const trimmed = part?.replace(/0+$/, "");
	return (x < 0 ? MINUS : "") + whole.replace(/\B(?=(\d{3})+$)/g, THIN) + (trimmed ? `.${trimmed}` : "");
}
function rate(hz) {
	if (hz === null || hz === void 0 || !Number.isFinite(hz)) return "–";
	return hz < 999.95 ? hz.toFixed(1) : count(hz);
}
function span(ns) {
	if (ns === null || ns === void 0 || !Number.isFinite(ns)) return "–";
	if (ns === 0) return "0";
	if (ns < 995) return `${Math.round(ns)} ns`;
	if (ns < 99500) return `${fixed(ns / 1e3)} µs`;
	if (ns < 995e6) return `${fixed(ns / 1e6)} ms`;
	return ns < 12e10 ? `${fixed(ns / 1e9)} s` : `${Math.round(ns / 6e10)} min`;
}
function fixed(x) {
	return x < 9.995 ? x.toFixed(2) : x < 99.95 ? x.toFixed(1) : x.toFixed(0);
}
var BINARY = [
	"B",
	"KiB",
	"MiB",
	"GiB",
	"TiB",
	"PiB"
];
function bytes(n) {
	if (n === null || n === void 0 || !Number.isFinite(n)) return "–";
	let [value, unit] = [n, 0];
	while (value >= 1023.5 && unit < BINARY.length - 1) [value, unit] = [value / 1024, unit + 1];
	return `${unit === 0 || value >= 99.5 ? Math.round(value) : short(value, 3)} ${BINARY[unit]}`;
}
function flow(perSecond) {
	if (perSecond === null || perSecond === void 0 || !Number.isFinite(perSecond)) return "–";
	const units = [
		"B/s",
		"kB/s",
		"MB/s",
		"GB/s",
		"TB/s"
	];
	let [value, unit] = [perSecond, 0];
	while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1e3, unit + 1];
	return `${value >= 99.5 || unit === 0 ? Math.round(value) : short(value, 3)} ${units[unit]}`;
}
function clock(ns) {
	const seconds = Math.max(0, Math.floor(ns / 1e9));
	const two = (n) => n.toString().padStart(2, "0");
	const days = Math.floor(seconds / 86400);
	const text = `${two(Math.floor(seconds / 3600) % 24)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
	return days > 0 ? `${days} d ${text}` : text;
}
function timeOfDay(ms) {
	const at = new Date(ms);
	const two = (n) => n.toString().padStart(2, "0");
	return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
function ago(ms) {
	const seconds = Math.max(0, ms / 1e3);
	if (seconds < 1.5) return "just now";
	if (seconds < 90) return `${Math.round(seconds)} s ago`;
	if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
	return `${Math.round(seconds / 3600)} h ago`;
}
function share(part, decimals = 2) {
	if (!Number.isFinite(part)) return "–";
	if (part >= 1) return "100 %";
	for (let n = decimals; n <= 4; n++) if (Math.floor(part * 10 ** (n + 2)) / 10 ** n < 100 - 10 ** -n / 2 && (part * 100).toFixed(n) !== 100 .toFixed(n)) return `${(part * 100).toFixed(n)} %`;
	return "99.9999 %";
}
export { flow as a, short as c, count as i, span as l, bytes as n, rate as o, clock as r, share as s, ago as t, timeOfDay as u };
