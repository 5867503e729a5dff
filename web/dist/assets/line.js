// src/model/line.ts
var lengthOf = ({ x0, y0, x1, y1 }) => Math.hypot(x1 - x0, y1 - y0);
function readLine(text) {
	const numbers = text.split(",").map((part) => part === "" ? NaN : Number(part));
	const [x0, y0, x1, y1] = numbers;
	return numbers.length === 4 && numbers.every(Number.isFinite) ? {
		x0,
		y0,
		x1,
		y1
	} : null;
}
var writeLine = ({ x0, y0, x1, y1 }) => [
	x0,
	y0,
	x1,
	y1
].map((n) => Math.round(n)).join(",");
function summary(values) {
	let [min, max, sum, n] = [
		Infinity,
		-Infinity,
		0,
		0
	];
	for (const value of values) {
		if (Number.isNaN(value)) continue;
		min = Math.min(min, value);
		max = Math.max(max, value);
		sum += value;
		n++;
	}
	return n > 0 ? {
		min,
		max,
		mean: sum / n
	} : null;
}
export { writeLine as i, readLine as n, summary as r, lengthOf as t };
