import { $t as reset, At as from_html, Bt as user_effect, Dt as set_text, Gt as sibling, Ht as child, I as short, It as get, Jt as state, Kt as proxy, Nt as delegate, O as colour, Ot as append, Pt as delegated, Tt as if_block, Wt as only_child, Xt as pop, Yt as user_derived, Zt as push, c as summary, dt as set_attribute, m as themed, o as shownHere, ot as bind_this, qt as set, s as lengthOf, u as placer, zt as template_effect } from "./page.js";
// src/picture/LineProfile.svelte
var root = from_html(`<span data-testid="line"> </span>`);
var root_1 = from_html(`<div class="profile svelte-1h1s9w9"><header class="svelte-1h1s9w9"><b class="svelte-1h1s9w9">Along the line</b> <span> </span> <!> <button type="button" aria-label="Remove the line" title="Remove the line" class="svelte-1h1s9w9">×</button></header> <canvas class="svelte-1h1s9w9"></canvas></div>`);
function LineProfile($$anchor, $$props) {
	push($$props, true);
	const shown = shownHere();
	let canvas;
	let size = state(proxy({
		width: 0,
		height: 0
	}));
	const found = user_derived(() => $$props.values && summary($$props.values));
	user_effect(() => {
		const watch = new ResizeObserver(() => set(size, {
			width: canvas.clientWidth,
			height: canvas.clientHeight
		}, true));
		watch.observe(canvas);
		return () => watch.disconnect();
	});
	user_effect(() => {
		themed.count;
		draw($$props.values, get(size), shown.scale);
	});
	function draw(values, { width, height }, scale) {
		const density = devicePixelRatio || 1;
		[canvas.width, canvas.height] = [Math.max(1, width * density), Math.max(1, height * density)];
		const pen = canvas.getContext("2d");
		pen.scale(density, density);
		if (!values || !get(found)) return;
		const up = placer(Math.min(0, get(found).min), Math.max(get(found).max, get(found).min + 1), scale);
		pen.beginPath();
		let isDown = false;
		values.forEach((value, i) => {
			if (Number.isNaN(value)) {
				isDown = false;
				return;
			}
			const y = height - 2 - up(value) * (height - 6);
			for (const x of [i, i + 1].map((at) => at / values.length * width)) {
				if (isDown) pen.lineTo(x, y);
				else pen.moveTo(x, y);
				isDown = true;
			}
		});
		pen.strokeStyle = colour("--drawn");
		pen.lineWidth = 1.25;
		pen.stroke();
	}
	var div = root_1();
	var header = child(div);
	var span = sibling(child(header), 2);
	var text = only_child(span);
	var node = sibling(span, 2);
	var consequent = ($$anchor) => {
		var span_1 = root();
		var text_1 = only_child(span_1);
		template_effect(($0, $1, $2) => set_text(text_1, `min ${$0 ?? ""} · mean ${$1 ?? ""} · max ${$2 ?? ""}${$$props.reduced ?? ""}`), [
			() => short(get(found).min),
			() => short(get(found).mean),
			() => short(get(found).max)
		]);
		append($$anchor, span_1);
	};
	if_block(node, ($$render) => {
		if (get(found)) $$render(consequent);
	});
	var button = sibling(node, 2);
	reset(header);
	var canvas_1 = sibling(header, 2);
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	reset(div);
	template_effect(($0, $1) => {
		set_text(text, `${$0 ?? ""} px`);
		set_attribute(canvas_1, "aria-label", `Values along the line, ${$1 ?? ""}`);
	}, [() => short(lengthOf($$props.line), 4), () => get(found) ? `from ${short(get(found).min)} to ${short(get(found).max)}` : "not in sight"]);
	delegated("click", button, function(...$$args) {
		$$props.remove?.apply(this, $$args);
	});
	append($$anchor, div);
	pop();
}
delegate(["click"]);
export { LineProfile as default };
