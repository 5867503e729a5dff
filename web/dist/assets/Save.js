import { $t as reset, At as from_html, Dt as set_text, Gt as sibling, Ht as child, It as get, M as count, Nt as delegate, Ot as append, Pt as delegated, Qt as next, Wt as only_child, Xt as pop, Yt as user_derived, Zt as push, dt as set_attribute, zt as template_effect } from "./page.js";
// src/picture/Save.svelte
var root = from_html(`<div class="save svelte-uhjai1" role="group" aria-label="Save the picture"><span class="dim"> </span> <button class="btn" type="button">As drawn <small class="svelte-uhjai1">.png</small></button> <button class="btn" type="button">Values shown <small class="svelte-uhjai1"> </small></button> <a class="btn"> <small class="svelte-uhjai1">.npy</small></a> <button class="btn" type="button">Close</button></div>`);
function Save($$anchor, $$props) {
	push($$props, true);
	const binned = user_derived(() => $$props.info.reduce === "none" ? "" : `${$$props.info.reduce} of ${$$props.info.binX} × ${$$props.info.binY}`);
	const isPart = user_derived(() => $$props.info.size.width * $$props.info.binX < $$props.info.full.width || $$props.info.size.height * $$props.info.binY < $$props.info.full.height);
	const about = user_derived(() => [
		`${$$props.info.size.width} × ${$$props.info.size.height}`,
		get(binned),
		get(isPart) ? "a part" : ""
	].filter(Boolean).join(", "));
	var div = root();
	var span = child(div);
	var text = only_child(span, true);
	var button = sibling(span, 2);
	var button_1 = sibling(button, 2);
	var small = sibling(child(button_1));
	var text_1 = only_child(small);
	reset(button_1);
	var a = sibling(button_1, 2);
	var text_2 = child(a);
	next();
	reset(a);
	var button_2 = sibling(a, 2);
	reset(div);
	template_effect(($0) => {
		set_text(text, $0);
		set_text(text_1, `${get(about) ?? ""}, .npy`);
		set_attribute(a, "href", $$props.whole);
		set_attribute(a, "download", `${$$props.name ?? ""}.npy`);
		set_text(text_2, `${$$props.still ? "Whole" : "The newest frame, whole"} `);
	}, [() => $$props.still ? $$props.name : `Frame ${count(BigInt($$props.info.sequence))}`]);
	delegated("click", button, () => $$props.save("png"));
	delegated("click", button_1, () => $$props.save("npy"));
	delegated("click", button_2, function(...$$args) {
		$$props.close?.apply(this, $$args);
	});
	append($$anchor, div);
	pop();
}
delegate(["click"]);
export { Save as default };
