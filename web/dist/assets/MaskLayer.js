import { $t as reset, At as from_html, Bt as user_effect, Gt as sibling, Ht as child, It as get, Jt as state, Nt as delegate, Ot as append, Pt as delegated, Rt as untrack, Tt as if_block, Ut as first_child, Xt as pop, Yt as user_derived, Zt as push, b as clamp, dt as set_attribute, f as toArray, kt as comment, ot as bind_this, p as toCanvas, qt as set, tn as to_array, vt as set_class, yt as clsx, z as run, zt as template_effect } from "./page.js";
import { d as readPlace, f as rectangle, h as toPicture, i as masks, m as toDetector, n as detectorOfOutput, p as stroke, s as extentOf, u as polygon } from "./masks.svelte.js";
// src/picture/MaskLayer.svelte
var root = from_html(`<div class="layer svelte-zvxoz7" role="application" aria-roledescription="mask" tabindex="0" data-testid="mask"><svg aria-hidden="true" class="svelte-zvxoz7"><g><path class="mask svelte-zvxoz7"></path><path></path></g></svg></div>`);
function MaskLayer($$anchor, $$props) {
	push($$props, true);
	let path = state([]);
	let held = false;
	const outline = (regions) => regions.filter((region) => region.width > 0 && region.height > 0).map((region) => `M${region.x} ${region.y}h${region.width}v${region.height}h${-region.width}z`).join("");
	const shape = user_derived(() => {
		if (get(path).length === 0) return [];
		if (masks.shape === "rectangle") return rectangle(get(path)[0], get(path).at(-1), $$props.full);
		if (masks.shape === "polygon") return polygon(get(path), $$props.full);
		return get(path).flatMap((spot, i) => stroke(get(path)[Math.max(0, i - 1)], spot, clamp(masks.width || 1, 1, 99), $$props.full));
	});
	const where = user_derived(() => $$props.place);
	const width = user_derived(() => $$props.full.width);
	const height = user_derived(() => $$props.full.height);
	const behind = user_derived(() => detectorOfOutput($$props.source));
	const detector = user_derived(() => "source" in get(behind) ? get(behind).source : "");
	const sensor = user_derived(() => get(detector) ? readPlace(get(where), {
		width: get(width),
		height: get(height)
	}) : null);
	user_effect(() => {
		if (!get(sensor)) return;
		const [read, told] = [extentOf(get(sensor)), (param) => Number(run.value(get(detector), param) ?? 0)];
		const size = {
			width: Math.max(read.width, told("max_size_x")),
			height: Math.max(read.height, told("max_size_y"))
		};
		untrack(() => masks.turnTo(get(detector), size));
	});
	const corner = user_derived(() => toCanvas($$props.view, $$props.box, 0, 0));
	const shown = user_derived(() => get(sensor) ? outline(masks.pieces.map((piece) => toPicture(get(sensor), piece))) : "");
	function spotOf(event) {
		const { x, y } = toArray($$props.view, $$props.box, event.offsetX, event.offsetY);
		return {
			x: clamp(Math.floor(x), 0, $$props.full.width - 1),
			y: clamp(Math.floor(y), 0, $$props.full.height - 1)
		};
	}
	function press(event) {
		if (event.button !== 0) return;
		const spot = spotOf(event);
		$$props.moveTo(spot);
		if (masks.shape === "polygon") return corners(spot);
		event.currentTarget.setPointerCapture(event.pointerId);
		(($$value) => {
			var $$array = to_array($$value, 2);
			set(path, $$array[0]);
			held = $$array[1];
		})([[spot, spot], true]);
	}
	function move(event) {
		const spot = spotOf(event);
		if (held || get(path).length > 0 && masks.shape === "polygon") follow(spot);
	}
	function release() {
		if (held) finish();
	}
	function corners(spot) {
		const first = get(path)[0];
		if (first && get(path).length > 3 && Math.hypot((first.x - spot.x) * $$props.view.zoomX, (first.y - spot.y) * $$props.view.zoomY) < 8) return finish();
		set(path, [
			...get(path).slice(0, -1),
			spot,
			spot
		]);
	}
	function follow(spot) {
		const last = get(path).at(-1);
		if (last.x === spot.x && last.y === spot.y) return;
		set(path, masks.shape === "brush" ? [...get(path), spot] : [...get(path).slice(0, -1), spot]);
	}
	function finish() {
		const to = get(sensor);
		if (to) masks.draw(get(shape).map((region) => toDetector(to, region)));
		(($$value) => {
			var $$array_1 = to_array($$value, 2);
			set(path, $$array_1[0]);
			held = $$array_1[1];
		})([[], false]);
	}
	function cancel() {
		if (get(path).length === 0) $$props.close();
		(($$value) => {
			var $$array_2 = to_array($$value, 2);
			set(path, $$array_2[0]);
			held = $$array_2[1];
		})([[], false]);
	}
	function key(event) {
		const step = event.shiftKey ? 10 : 1;
		const by = {
			ArrowLeft: [-step, 0],
			ArrowRight: [step, 0],
			ArrowUp: [0, -step],
			ArrowDown: [0, step]
		}[event.key];
		if (by) {
			const spot = {
				x: clamp($$props.at.x + by[0], 0, $$props.full.width - 1),
				y: clamp($$props.at.y + by[1], 0, $$props.full.height - 1)
			};
			$$props.moveTo(spot);
			if (get(path).length > 0) follow(spot);
		} else if (event.key === " ") masks.shape === "polygon" ? corners($$props.at) : get(path).length > 0 ? finish() : set(path, [$$props.at, $$props.at]);
		else if (event.key === "Enter" && get(path).length > 0) finish();
		else if (event.key === "Escape") cancel();
		else if (event.key === "z" && (event.ctrlKey || event.metaKey)) masks.undo();
		else if (event.key === "y" && (event.ctrlKey || event.metaKey)) masks.redo();
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
	let layer = state(void 0);
	user_effect(() => get(layer)?.focus());
	user_effect(() => {
		get(sensor), $$props.source;
		(($$value) => {
			var $$array_3 = to_array($$value, 2);
			set(path, $$array_3[0]);
			held = $$array_3[1];
		})([[], false]);
	});
	var fragment = comment();
	var node = first_child(fragment);
	var consequent = ($$anchor) => {
		var div = root();
		var svg = child(div);
		var g = child(svg);
		var path_1 = child(g);
		var path_2 = sibling(path_1);
		reset(g);
		reset(svg);
		reset(div);
		bind_this(div, ($$value) => set(layer, $$value), () => get(layer));
		template_effect(($0) => {
			set_attribute(div, "aria-label", `Mask of bad pixels at ${$$props.at.x ?? ""}, ${$$props.at.y ?? ""}. Arrow keys move the cross-hair, Space begins a shape or sets a corner, Enter ends it, Escape takes it back.`);
			set_attribute(svg, "width", $$props.box.width);
			set_attribute(svg, "height", $$props.box.height);
			set_attribute(g, "transform", `translate(${get(corner).x ?? ""} ${get(corner).y ?? ""}) scale(${$$props.view.zoomX ?? ""} ${$$props.view.zoomY ?? ""})`);
			set_attribute(path_1, "d", get(shown));
			set_class(path_2, 0, clsx(masks.adds ? "shape" : "shape away"), "svelte-zvxoz7");
			set_attribute(path_2, "d", $0);
		}, [() => outline(get(shape))]);
		delegated("pointerdown", div, press);
		delegated("pointermove", div, move);
		delegated("pointerup", div, release);
		delegated("keydown", div, key);
		append($$anchor, div);
	};
	if_block(node, ($$render) => {
		if (get(sensor)) $$render(consequent);
	});
	append($$anchor, fragment);
	pop();
}
delegate([
	"pointerdown",
	"pointermove",
	"pointerup",
	"keydown"
]);
export { MaskLayer as default };
