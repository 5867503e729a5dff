import { I as short, M as count } from "./page.js";
// src/model/form.ts
function rowsOf(specs) {
	const rows = [];
	for (const spec of specs) {
		const stem = /^(.*)_[xyz]$/.exec(spec.name)?.[1];
		const row = stem === void 0 ? void 0 : rows.find((r) => r.specs[0].type === spec.type && r.title === stem);
		if (row) row.specs.push(spec);
		else rows.push({
			title: stem ?? spec.name,
			specs: [spec]
		});
	}
	return rows.map(({ title, specs: all }) => ({
		title: (all.length === 1 ? all[0].name : title).replaceAll("_", " "),
		specs: all
	}));
}
function parse(spec, text) {
	const trimmed = text.trim();
	switch (spec.type) {
		case "int": {
			const value = Number(trimmed.replace(/[\s\u2009_]/g, "").replace("−", "-"));
			return trimmed !== "" && Number.isInteger(value) ? { value } : { problem: `wanted a whole number, found "${text}"` };
		}
		case "float": {
			const value = Number(trimmed.replace(/[\s\u2009_]/g, "").replace("−", "-"));
			return trimmed !== "" && Number.isFinite(value) ? { value } : { problem: `wanted a number, found "${text}"` };
		}
		case "list": {
			const values = trimmed.replace(/^\[|\]$/g, "").split(/[\s,;]+/).filter(Boolean).map(Number);
			return values.every(Number.isFinite) ? { value: values } : { problem: "wanted numbers with commas between them" };
		}
		default: return { value: text };
	}
}
function editable(value) {
	if (value === void 0 || value === null) return "";
	return Array.isArray(value) ? value.join(", ") : String(value);
}
function readable(value) {
	if (value === void 0 || value === null) return "–";
	if (typeof value === "boolean") return value ? "yes" : "no";
	if (typeof value === "number") return Number.isInteger(value) ? count(value) : short(value, 5);
	if (Array.isArray(value)) {
		const head = value.slice(0, 4).map((n) => short(n, 4)).join(", ");
		return value.length > 4 ? `${head}, … (${count(value.length)})` : head || "empty";
	}
	return value === "" ? "–" : value;
}
function wanted(spec) {
	const { min, max, unit } = spec;
	const end = unit ? ` ${unit}` : "";
	if (min !== null && max !== null) return `${short(min, 6)} to ${short(max, 6)}${end}`;
	if (min !== null) return `at least ${short(min, 6)}${end}`;
	return max === null ? unit ?? "" : `at most ${short(max, 6)}${end}`;
}
var same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
export { same as a, rowsOf as i, parse as n, wanted as o, readable as r, editable as t };
