// src/style/theme.ts
var KEY = "livetime.theme";
var light = matchMedia("(prefers-color-scheme: light)");
var theme = () => {
	const kept = localStorage.getItem(KEY);
	return kept === "dark" || kept === "light" ? kept : "system";
};
function setTheme(next) {
	if (next === "system") localStorage.removeItem(KEY);
	else localStorage.setItem(KEY, next);
	show();
}
function show() {
	const chosen = theme();
	const isLightNow = chosen === "light" || chosen === "system" && light.matches;
	document.documentElement.dataset.theme = isLightNow ? "light" : "dark";
	dispatchEvent(new Event("themechange"));
}
var colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
function rgb(name) {
	const n = parseInt(colour(name).slice(1), 16);
	return [
		n >> 16,
		n >> 8 & 255,
		n & 255
	];
}
light.addEventListener("change", show);
show();
export { theme as i, rgb as n, setTheme as r, colour as t };
