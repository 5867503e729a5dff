// src/link/feed.ts
const RETRY_MS$1 = 1e3;
var Feed = class {
	base;
	read;
	listener;
	wish = null;
	url = null;
	changed = false;
	running = false;
	stopped = true;
	abort = null;
	after = null;
	constructor(base, read, listener) {
		this.base = base;
		this.read = read;
		this.listener = listener;
	}
	want(wish) {
		if (JSON.stringify(wish) === JSON.stringify(this.wish)) return;
		if (wish?.from !== this.wish?.from) this.abort?.abort();
		this.wish = wish;
		this.changed = true;
		this.after = null;
		this.run();
	}
	stop(stopped) {
		this.stopped = stopped;
		if (!stopped) this.run();
	}
	async run() {
		if (this.running) return;
		this.running = true;
		while (this.wish && !this.stopped) try {
			await this.step(this.wish);
		} catch (problem) {
			if (problem instanceof DOMException && problem.name === "AbortError") continue;
			this.url = null;
			if (this.stopped) break;
			this.listener.problem(problem instanceof Error ? problem.message : String(problem));
			await new Promise((done) => setTimeout(done, RETRY_MS$1));
		}
		this.running = false;
	}
	async step(wish) {
		this.abort = new AbortController();
		const { signal } = this.abort;
		if (this.url === null || this.changed) {
			this.changed = false;
			await this.place(wish, signal);
		}
		if (this.url === null) return;
		const query = this.after === null ? "" : `?after=${this.after}`;
		const answer = await fetch(this.base + this.url + query, { signal });
		if (answer.status === 404) this.url = null;
		if (answer.status === 204 || answer.status === 404) return;
		if (!answer.ok) throw new Error(await sentence(answer));
		const frame = this.read(await answer.arrayBuffer(), answer.headers.get("livetime-place"));
		if (this.changed) return;
		this.after = frame.header.sequence;
		this.listener.problem("");
		await this.listener.frame(frame);
	}
	async place(wish, signal) {
		const [method, path] = this.url === null ? ["POST", "/api/v1/views"] : ["PUT", this.url];
		const answer = await fetch(this.base + path, {
			method,
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify(wish),
			signal
		});
		if (answer.status === 404 && this.url !== null) {
			this.url = null;
			return this.place(wish, signal);
		}
		if (!answer.ok) throw new Error(await sentence(answer));
		this.url = (await answer.json()).url;
	}
	async valueAt(x, y) {
		if (this.url === null) return null;
		const answer = await fetch(`${this.base}${this.url}/at?x=${x}&y=${y}`);
		return answer.ok ? (await answer.json()).value : null;
	}
};
async function sentence(answer) {
	try {
		return (await answer.json()).error.message;
	} catch {
		return `the server answered ${answer.status}`;
	}
}
// src/link/still.ts
const BUSY = 503;
const RETRY_MS = 1e3;
const isStill = (from) => from.startsWith("/api/");
const detectorOf = (from) => isStill(from) ? from.replace(/&event=\d+$/, "") : from;
var Still = class {
	base;
	read;
	listener;
	wish = null;
	asked = null;
	running = false;
	stopped = true;
	constructor(base, read, listener) {
		this.base = base;
		this.read = read;
		this.listener = listener;
	}
	want(wish) {
		this.wish = wish;
		if (wish === null) this.asked = null;
		this.run();
	}
	stop(stopped) {
		this.stopped = stopped;
		this.run();
	}
	async run() {
		if (this.running) return;
		this.running = true;
		for (;;) {
			const url = this.wish && pictureUrl(this.wish);
			if (!url || this.stopped || url === this.asked) break;
			this.asked = url;
			try {
				const answer = await fetch(this.base + url);
				if (answer.status === BUSY) {
					this.listener.problem(await sentence(answer));
					await new Promise((done) => setTimeout(done, RETRY_MS));
					this.asked = null;
					continue;
				}
				if (!answer.ok) throw new Error(await sentence(answer));
				const frame = this.read(await answer.arrayBuffer());
				if (this.asked !== url) continue;
				this.listener.problem("");
				await this.listener.frame(frame);
			} catch (problem) {
				this.listener.problem(problem instanceof Error ? problem.message : String(problem));
			}
		}
		this.running = false;
	}
	async valueAt(x, y) {
		if (!this.wish) return null;
		const answer = await fetch(`${this.base}${this.wish.from.replace("/picture?", "/at?")}&x=${x}&y=${y}`);
		return answer.ok ? (await answer.json()).value : null;
	}
};
function pictureUrl({ from, region, fit, axes, reduce }) {
	return `${from}&as=raw${[
		region && `&region=${region.join(",")}`,
		fit && `&fit=${fit.join(",")}`,
		axes && `&axes=${axes}`,
		`&reduce=${reduce}`
	].filter(Boolean).join("")}`;
}
const DTYPES = [
	"i8",
	"u8",
	"i16",
	"u16",
	"i32",
	"u32",
	"i64",
	"u64",
	"f32",
	"f64"
];
const ARRAYS = {
	i8: Int8Array,
	u8: Uint8Array,
	i16: Int16Array,
	u16: Uint16Array,
	i32: Int32Array,
	u32: Uint32Array,
	i64: BigInt64Array,
	u64: BigUint64Array,
	f32: Float32Array,
	f64: Float64Array
};
const bytesOf = (dtype) => ARRAYS[dtype].BYTES_PER_ELEMENT;
const REDUCES = [
	"none",
	"max",
	"mean",
	"pick"
];
function readHeader(message) {
	if (message.byteLength < 64) throw new Error(`wanted a header of 64 bytes, found ${message.byteLength}`);
	const view = new DataView(message);
	const u32 = (at) => view.getUint32(at, true);
	const is = (what, ok, found) => {
		if (!ok) throw new Error(`a picture's header: unknown ${what} ${found}`);
	};
	const [version, kind, colours, dtype, encoding, reduce] = new Uint8Array(message, 0, 6);
	const [v = 0, k = 0, c = 0, d = 0, e = 0, r = 0] = [
		version,
		kind,
		colours,
		dtype,
		encoding,
		reduce
	];
	is("version", v === 1, v);
	is("kind", k === 1 || k === 2, k);
	is("element type", d < DTYPES.length, d);
	is("encoding", e === 0, e);
	is("reduction", r < REDUCES.length, r);
	const flags = view.getUint16(6, true);
	const header = {
		kind: k === 1 ? "picture" : "table",
		colours: c,
		dtype: DTYPES[d],
		reduce: REDUCES[r],
		damaged: (flags & 1) !== 0,
		last: (flags & 2) !== 0,
		cut: (flags & 4) !== 0,
		held: (flags & 8) !== 0,
		scaled: (flags & 16) !== 0,
		sequence: view.getBigUint64(8, true),
		timeNs: view.getBigInt64(16, true),
		width: u32(24),
		height: u32(28),
		x: u32(32),
		y: u32(36),
		binX: view.getUint16(40, true) || 1,
		binY: view.getUint16(42, true) || 1,
		fullWidth: u32(44),
		fullHeight: u32(48),
		leftOut: u32(52),
		ageUs: u32(56),
		bytes: u32(60)
	};
	if (message.byteLength < 64 + header.bytes) throw new Error(`wanted a payload of ${header.bytes} bytes, found ${message.byteLength - 64}`);
	return header;
}
function readPicture(message, place = null) {
	const header = readHeader(message);
	if (header.kind !== "picture") throw new Error("wanted a picture, found a table");
	if (header.colours !== 1 && header.colours !== 3) throw new Error(`wanted 1 or 3 colours, found ${header.colours}`);
	const wanted = header.width * header.height * header.colours;
	if (wanted * bytesOf(header.dtype) !== header.bytes) throw new Error(`wanted ${header.width} x ${header.height} ${header.dtype}, found ${header.bytes} bytes`);
	return {
		header,
		pixels: new ARRAYS[header.dtype](message, 64, wanted),
		place
	};
}
// src/model/contrast.ts
const BINS = 65536;
var Histogram = class {
	bins = new Uint32Array(BINS);
	min = Infinity;
	max = -Infinity;
	sum = 0;
	count = 0;
	invalid = 0;
	atLimit = 0;
	exact = true;
	offset = 0;
	fill(pixels) {
		this.bins.fill(0);
		[this.min, this.max, this.sum, this.count, this.invalid, this.atLimit] = [
			Infinity,
			-Infinity,
			0,
			0,
			0,
			0
		];
		const small = pixels.BYTES_PER_ELEMENT <= 2;
		this.exact = small;
		this.offset = pixels instanceof Int8Array ? 128 : pixels instanceof Int16Array ? 32768 : 0;
		if (small) this.fillSmall(pixels);
		else this.fillWide(pixels);
		this.atLimit = this.limitCount(pixels);
		return this;
	}
	fillSmall(pixels) {
		const { bins, offset } = this;
		for (let i = 0; i < pixels.length; i++) {
			const bin = pixels[i] + offset;
			bins[bin] = bins[bin] + 1;
		}
		this.count = pixels.length;
		for (let bin = 0; bin < BINS; bin++) {
			const n = bins[bin];
			if (n === 0) continue;
			if (this.min === Infinity) this.min = bin - offset;
			this.max = bin - offset;
			this.sum += n * (bin - offset);
		}
	}
	fillWide(pixels) {
		const { bins } = this;
		for (let i = 0; i < pixels.length; i++) {
			const value = Number(pixels[i]);
			if (!Number.isFinite(value)) {
				this.invalid++;
				continue;
			}
			if (value < this.min) this.min = value;
			if (value > this.max) this.max = value;
			this.sum += value;
			this.count++;
			const bin = keyOf(value);
			bins[bin] = bins[bin] + 1;
		}
	}
	limitCount(pixels) {
		const limit = LIMITS.get(pixels.constructor);
		if (limit === void 0 || this.max < limit) return 0;
		if (this.exact) return this.bins[limit + this.offset] ?? 0;
		let n = 0;
		for (const value of pixels) if (Number(value) === limit) n++;
		return n;
	}
	get mean() {
		return this.count > 0 ? this.sum / this.count : NaN;
	}
	percentile(percent) {
		if (this.count === 0) return NaN;
		const wanted = Math.min(this.count, Math.max(1, Math.ceil(percent / 100 * this.count)));
		for (let bin = 0, seen = 0; bin < BINS; bin++) {
			seen += this.bins[bin];
			if (seen >= wanted) return Math.min(this.max, Math.max(this.min, this.valueOf(bin)));
		}
		return this.max;
	}
	valueOf(bin) {
		return this.exact ? bin - this.offset : valueOfKey(bin);
	}
	bars(most, scale) {
		const values = this.max - this.min + 1;
		const whole = this.exact && scale === "linear" && this.count > 0;
		const n = whole ? Math.ceil(values / Math.ceil(values / most)) : most;
		const bars = new Float32Array(n);
		if (this.count === 0) return bars;
		const width = Math.ceil(values / most);
		const place = whole ? (value) => (value - this.min) / (width * n) : placer(this.min, this.max, scale);
		for (let bin = 0; bin < BINS; bin++) {
			const here = this.bins[bin];
			if (here === 0) continue;
			const bar = Math.min(n - 1, Math.floor(place(Math.max(this.min, this.valueOf(bin))) * n));
			bars[bar] = bars[bar] + here;
		}
		return bars;
	}
};
const LIMITS = new Map([
	[Uint8Array, 255],
	[Int8Array, 127],
	[Uint16Array, 65535],
	[Int16Array, 32767],
	[Uint32Array, 4294967295],
	[Int32Array, 2147483647]
]);
const word$1 = new Uint32Array(1);
const float = new Float32Array(word$1.buffer);
function keyOf(value) {
	float[0] = value;
	const bits = word$1[0];
	return (bits & 2147483648 ? ~bits >>> 16 : bits >>> 16 | 32768) & 65535;
}
function valueOfKey(key) {
	word$1[0] = key & 32768 ? (key & 32767) << 16 : ~(key << 16);
	return float[0];
}
function warp(value, scale) {
	if (scale === "linear") return value;
	const size = Math.abs(value);
	const warped = scale === "log" ? Math.log(1 + size) : Math.sqrt(size);
	return value < 0 ? -warped : warped;
}
function placer(low, high, scale) {
	const from = warp(low, scale);
	const width = warp(high, scale) - from || 1;
	return (value) => Math.min(1, Math.max(0, (warp(value, scale) - from) / width));
}
function colourIndex(value, low, high, scale) {
	return Math.floor(placer(low, high, scale)(value) * 255 + .5);
}
// src/model/line.ts
const MOST_VALUES = 4096;
function valuesAlong(line, lies, pixels) {
	const steps = Math.ceil(Math.max(Math.abs(line.x1 - line.x0) / lies.binX, Math.abs(line.y1 - line.y0) / lies.binY));
	const n = Math.min(MOST_VALUES, Math.max(1, steps) + 1);
	const values = new Float32Array(n);
	for (let i = 0; i < n; i++) {
		const part = i / (n - 1);
		const column = Math.floor((line.x0 + .5 + (line.x1 - line.x0) * part - lies.x) / lies.binX);
		const row = Math.floor((line.y0 + .5 + (line.y1 - line.y0) * part - lies.y) / lies.binY);
		const inside = column >= 0 && row >= 0 && column < lies.width && row < lies.height;
		values[i] = inside ? Number(pixels[(row * lies.width + column) * lies.colours]) : NaN;
	}
	return values;
}
// src/picture/shaders.ts
const VERTEX = `#version 300 es
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
}`;
const fragment = (sampler) => `#version 300 es
precision highp float;
precision highp int;
precision highp ${sampler};
uniform ${sampler} pixels;
uniform sampler2D colours;
uniform vec2 canvas;      // device pixels
uniform vec2 origin;      // texel at the upper left corner of the canvas
uniform vec2 step_;       // texels for one device pixel
uniform float low;        // already warped
uniform float high;
uniform int scale;        // 0 linear, 1 logarithm, 2 root
uniform int perPixel;     // texels next to each other that make one pixel: 1, or 3 for red, green, blue
uniform vec4 outside;     // colour beyond the array
uniform vec4 invalid;     // colour of what is not a number
out vec4 colour;

float warp(float v) {
  if (scale == 0) return v;
  float size = abs(v);
  float warped = scale == 1 ? log(1.0 + size) : sqrt(size);
  return v < 0.0 ? -warped : warped;
}

float texel(ivec2 at, int part) {
  return float(texelFetch(pixels, ivec2(at.x * perPixel + part, at.y), 0).r);
}

float place(float value) {
  return clamp((warp(value) - low) / (high - low), 0.0, 1.0);
}

void main() {
  ivec2 size = textureSize(pixels, 0) / ivec2(perPixel, 1);
  vec2 at = origin + vec2(gl_FragCoord.x - 0.5, canvas.y - gl_FragCoord.y - 0.5) * step_;
  vec2 middle = at + 0.5 * step_;
  if (middle.x < 0.0 || middle.y < 0.0 || middle.x >= float(size.x) || middle.y >= float(size.y)) {
    colour = outside;
    return;
  }
  if (perPixel == 3) {
    ivec2 here = ivec2(middle);
    colour = vec4(place(texel(here, 0)), place(texel(here, 1)), place(texel(here, 2)), 1.0);
    return;
  }
  float value = texel(ivec2(middle), 0);
  bvec2 several = greaterThan(step_, vec2(1.0));
  if (any(several)) {
    ivec2 first = max(ivec2(mix(floor(middle), floor(at), several)), ivec2(0));
    ivec2 last = min(max(ivec2(mix(floor(middle), ceil(at + step_) - 1.0, several)), first), min(first + 7, size - 1));
    for (int y = first.y; y <= last.y; y++) {
      for (int x = first.x; x <= last.x; x++) {
        float v = texel(ivec2(x, y), 0);
        if (isnan(value) || v > value) value = v;
      }
    }
  }
  colour = isnan(value) ? invalid : texelFetch(colours, ivec2(int(floor(place(value) * 255.0 + 0.5)), 0), 0);
}`;
// src/picture/gl.ts
const UNIFORMS = [
	"pixels",
	"colours",
	"canvas",
	"origin",
	"step_",
	"low",
	"high",
	"scale",
	"perPixel",
	"outside",
	"invalid"
];
const SCALES = {
	linear: 0,
	log: 1,
	root: 2
};
const BY_PROCESSOR = /swiftshader|llvmpipe|softpipe|software|basic render/i;
function hasCard() {
	const gl = new OffscreenCanvas(1, 1).getContext("webgl2", { failIfMajorPerformanceCaveat: true });
	if (!gl) return false;
	const found = [gl.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL, gl.RENDERER].some((name) => name !== void 0 && BY_PROCESSOR.test(String(gl.getParameter(name))));
	gl.getExtension("WEBGL_lose_context")?.loseContext();
	return !found;
}
var GlPainter = class GlPainter {
	canvas;
	kind = "webgl";
	gl;
	programs = new Map();
	colourMap;
	pixels = null;
	format = null;
	held = {
		width: 0,
		height: 0,
		internal: 0
	};
	constructor(canvas, gl) {
		this.canvas = canvas;
		this.gl = gl;
		this.colourMap = this.texture();
		gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
	}
	static on(canvas) {
		const gl = canvas.getContext("webgl2", {
			alpha: false,
			antialias: false,
			depth: false,
			preserveDrawingBuffer: true
		});
		return gl && new GlPainter(canvas, gl);
	}
	get largestSide() {
		return this.gl.getParameter(this.gl.MAX_TEXTURE_SIZE);
	}
	setColours(table) {
		const { gl } = this;
		gl.bindTexture(gl.TEXTURE_2D, this.colourMap);
		gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
	}
	setPixels(pixels, width, height) {
		const { gl } = this;
		if (Math.max(width, height) > this.largestSide) throw new Error(`a picture of ${width} x ${height} is larger than the largest texture, ${this.largestSide}`);
		const format = formatOf(gl, pixels);
		this.pixels ??= this.texture();
		gl.bindTexture(gl.TEXTURE_2D, this.pixels);
		const same = this.held.width === width && this.held.height === height && this.held.internal === format.internal;
		const data = pixels;
		if (same) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, format.format, format.type, data);
		else gl.texImage2D(gl.TEXTURE_2D, 0, format.internal, width, height, 0, format.format, format.type, data);
		this.held = {
			width,
			height,
			internal: format.internal
		};
		this.format = format;
	}
	clear(outside) {
		const { gl } = this;
		gl.clearColor(outside[0] / 255, outside[1] / 255, outside[2] / 255, 1);
		gl.clear(gl.COLOR_BUFFER_BIT);
	}
	draw(look, part, outside, invalid, colours = 1) {
		const { gl, canvas } = this;
		gl.viewport(0, 0, canvas.width, canvas.height);
		if (!this.format || !this.pixels || part === null) return this.clear(outside);
		const { program, at } = this.program(this.format.sampler);
		gl.useProgram(program);
		this.bind(0, this.pixels, at.pixels);
		this.bind(1, this.colourMap, at.colours);
		gl.uniform2f(at.canvas ?? null, canvas.width, canvas.height);
		gl.uniform2f(at.origin ?? null, part.x, part.y);
		gl.uniform2f(at.step_ ?? null, part.stepX, part.stepY);
		const low = warp(look.low, look.scale);
		gl.uniform1f(at.low ?? null, low);
		gl.uniform1f(at.high ?? null, Math.max(warp(look.high, look.scale), low + 1e-6));
		gl.uniform1i(at.scale ?? null, SCALES[look.scale]);
		gl.uniform1i(at.perPixel ?? null, colours);
		gl.uniform4f(at.outside ?? null, outside[0] / 255, outside[1] / 255, outside[2] / 255, 1);
		gl.uniform4f(at.invalid ?? null, invalid[0] / 255, invalid[1] / 255, invalid[2] / 255, 1);
		gl.drawArrays(gl.TRIANGLES, 0, 3);
	}
	bind(unit, texture, at) {
		const { gl } = this;
		gl.activeTexture(gl.TEXTURE0 + unit);
		gl.bindTexture(gl.TEXTURE_2D, texture);
		gl.uniform1i(at ?? null, unit);
		gl.activeTexture(gl.TEXTURE0);
	}
	texture() {
		const { gl } = this;
		const texture = gl.createTexture();
		gl.bindTexture(gl.TEXTURE_2D, texture);
		for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
		for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
		return texture;
	}
	program(sampler) {
		const known = this.programs.get(sampler);
		if (known) return known;
		const { gl } = this;
		const program = gl.createProgram();
		gl.attachShader(program, this.shader(gl.VERTEX_SHADER, VERTEX));
		gl.attachShader(program, this.shader(gl.FRAGMENT_SHADER, fragment(sampler)));
		gl.linkProgram(program);
		if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? "no program");
		const at = Object.fromEntries(UNIFORMS.map((name) => [name, gl.getUniformLocation(program, name)]));
		this.programs.set(sampler, {
			program,
			at
		});
		return {
			program,
			at
		};
	}
	shader(kind, source) {
		const { gl } = this;
		const shader = gl.createShader(kind);
		if (!shader) throw new Error("the graphics context is lost");
		gl.shaderSource(shader, source);
		gl.compileShader(shader);
		if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? "no shader");
		return shader;
	}
};
function formatOf(gl, pixels) {
	const unsigned = (internal, type) => ({
		sampler: "usampler2D",
		internal,
		format: gl.RED_INTEGER,
		type
	});
	const signed = (internal, type) => ({
		sampler: "isampler2D",
		internal,
		format: gl.RED_INTEGER,
		type
	});
	if (pixels instanceof Uint8Array) return unsigned(gl.R8UI, gl.UNSIGNED_BYTE);
	if (pixels instanceof Uint16Array) return unsigned(gl.R16UI, gl.UNSIGNED_SHORT);
	if (pixels instanceof Uint32Array) return unsigned(gl.R32UI, gl.UNSIGNED_INT);
	if (pixels instanceof Int8Array) return signed(gl.R8I, gl.BYTE);
	if (pixels instanceof Int16Array) return signed(gl.R16I, gl.SHORT);
	if (pixels instanceof Int32Array) return signed(gl.R32I, gl.INT);
	if (pixels instanceof Float32Array) return {
		sampler: "sampler2D",
		internal: gl.R32F,
		format: gl.RED,
		type: gl.FLOAT
	};
	throw new Error("64-bit values must be converted before they are drawn");
}
// src/model/npy.ts
const BEFORE = 10;
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
function descrOf(pixels) {
	const name = pixels.constructor.name;
	const kind = name.startsWith("Float") ? "f" : /^(Big)?Uint/.test(name) ? "u" : "i";
	return `${pixels.BYTES_PER_ELEMENT === 1 ? "|" : "<"}${kind}${pixels.BYTES_PER_ELEMENT}`;
}
// src/picture/keep.ts
function nameOf(of, header, isStill) {
	const binned = header.reduce === "none" ? "" : `-${header.reduce}-${header.binX}x${header.binY}`;
	const all = header.width * header.binX >= header.fullWidth && header.height * header.binY >= header.fullHeight;
	const frame = isStill ? "" : `-${header.sequence}`;
	return `${of.replace(/[^\w.-]+/g, "-")}${frame}${binned}${all ? "" : `-from-${header.x}-${header.y}`}`;
}
function npyOf({ header, pixels }) {
	const shape = [
		header.height,
		header.width,
		...header.colours === 1 ? [] : [header.colours]
	];
	return npyFile(descrOf(pixels), shape, new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength));
}
// src/picture/maps.ts
const even$1 = (...colours) => colours.map((c, i) => [
	i / (colours.length - 1),
	c >> 16,
	c >> 8 & 255,
	c & 255
]);
const STOPS = {
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
	grey: even$1(0, 16777215),
	inverse: even$1(16777215, 0),
	viridis: even$1(4456788, 4664699, 3887755, 2912910, 2199948, 2666112, 6211938, 11394096, 16639781),
	inferno: even$1(4, 2165834, 5705838, 9052778, 12334932, 14965297, 16354825, 16370485, 16580516),
	spectrum: even$1(3150395, 4612823, 3582713, 1762486, 7536222, 13168436, 16431673, 16149273, 13314564, 7996419)
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
// src/picture/plain.ts
const MOST = 8;
const row = (like, length) => new like.constructor(length);
var PlainPainter = class {
	canvas;
	kind = "plain";
	pen;
	colours = new Uint32Array(256);
	held = null;
	image = null;
	inks = new Uint32Array();
	constructor(canvas) {
		this.canvas = canvas;
		const pen = canvas.getContext("2d", {
			alpha: false,
			willReadFrequently: true
		});
		if (!pen) throw new Error("this browser offers no canvas to draw pictures on");
		this.pen = pen;
	}
	setColours(table) {
		this.colours = new Uint32Array(Uint8Array.from(table).buffer);
	}
	setPixels(pixels, width, height) {
		this.held = {
			pixels,
			width,
			height
		};
	}
	draw(limits, part, outside, invalid, colours = 1) {
		const { width, height } = this.canvas;
		if (this.image?.width !== width || this.image.height !== height) this.image = new ImageData(width, height);
		const out = new Uint32Array(this.image.data.buffer);
		if (!part || !this.held) out.fill(word(outside));
		else {
			const across = falls(part.x, part.stepX, width, this.held.width / colours);
			const down = falls(part.y, part.stepY, height, this.held.height);
			if (colours === 3) this.drawColours(out, limits, across, down, word(outside));
			else this.drawValues(out, limits, across, down, word(outside), word(invalid));
		}
		this.pen.putImageData(this.image, 0, 0);
	}
	inker(limits, invalid) {
		const { colours } = this;
		const low = warp(limits.low, limits.scale);
		const span = Math.max(warp(limits.high, limits.scale) - low, 1e-6);
		const at = (value) => {
			const place = (warp(value, limits.scale) - low) / span;
			return colours[place >= 1 ? 255 : place > 0 ? Math.floor(place * 255 + .5) : 0];
		};
		const { pixels } = this.held;
		if (pixels.BYTES_PER_ELEMENT > 2) return (values, out, to) => values.forEach((value, x) => out[to + x] = Number.isNaN(value) ? invalid : at(value));
		const count = 2 ** (8 * pixels.BYTES_PER_ELEMENT);
		const from = pixels instanceof Int8Array || pixels instanceof Int16Array ? count / 2 : 0;
		if (this.inks.length !== count) this.inks = new Uint32Array(count);
		const { inks } = this;
		for (let i = 0; i < count; i++) inks[i] = at(i - from);
		return (values, out, to) => {
			for (let x = 0; x < values.length; x++) out[to + x] = inks[values[x] + from];
		};
	}
	drawValues(out, limits, across, down, outside, invalid) {
		const { pixels, width } = this.held;
		const ink = this.inker(limits, invalid);
		const long = across.middle.length;
		const [values, tallest] = [row(pixels, long), row(pixels, width)];
		for (let y = 0; y < down.middle.length; y++) {
			const to = y * long;
			const [first, last] = [down.first[y], down.last[y]];
			if (down.middle[y] < 0) out.fill(outside, to, to + long);
			else if (y > 0 && down.middle[y - 1] >= 0 && first === down.first[y - 1] && last === down.last[y - 1]) out.copyWithin(to, to - long, to);
			else {
				largestDown(pixels, width, first, last, tallest);
				largestAcross(tallest, across, values);
				ink(values, out, to);
				for (let x = 0; x < long; x++) if (across.middle[x] < 0) out[to + x] = outside;
			}
		}
	}
	drawColours(out, limits, across, down, outside) {
		const { pixels, width } = this.held;
		const long = across.middle.length;
		const at = (i) => colourIndex(pixels[i], limits.low, limits.high, limits.scale);
		for (let y = 0; y < down.middle.length; y++) {
			const row = down.middle[y];
			for (let x = 0; x < long; x++) {
				const column = across.middle[x];
				const i = row * width + column * 3;
				out[y * long + x] = row < 0 || column < 0 ? outside : word([
					at(i),
					at(i + 1),
					at(i + 2)
				]);
			}
		}
	}
};
function largestDown(pixels, width, first, last, found) {
	for (let column = 0, i = first * width; column < width; column++, i++) found[column] = pixels[i];
	for (let row = first + 1; row <= last; row++) for (let column = 0, i = row * width; column < width; column++, i++) {
		const value = pixels[i];
		const most = found[column];
		if (value > most || most !== most) found[column] = value;
	}
}
function largestAcross(values, { first, last }, found) {
	for (let x = 0; x < found.length; x++) {
		let most = values[first[x]];
		for (let column = first[x] + 1; column <= last[x]; column++) {
			const value = values[column];
			if (value > most || most !== most) most = value;
		}
		found[x] = most;
	}
}
function falls(from, step, count, size) {
	const [first, last, middle] = [
		new Int32Array(count),
		new Int32Array(count),
		new Int32Array(count)
	];
	for (let i = 0; i < count; i++) {
		const at = from + i * step;
		const inside = Math.floor(at + step / 2);
		const isOne = step <= 1;
		middle[i] = inside < 0 || inside >= size ? -1 : inside;
		first[i] = Math.min(size - 1, Math.max(0, isOne ? inside : Math.floor(at)));
		last[i] = isOne ? first[i] : Math.min(Math.max(Math.ceil(at + step) - 1, first[i]), first[i] + MOST - 1, size - 1);
	}
	return {
		first,
		last,
		middle
	};
}
const bytes = new Uint8Array(4);
const asWord = new Uint32Array(bytes.buffer);
function word([red, green, blue]) {
	[bytes[0], bytes[1], bytes[2], bytes[3]] = [
		red,
		green,
		blue,
		255
	];
	return asWord[0];
}
// src/model/roi.ts
function clamp(value, low, high) {
	return Math.min(Math.max(value, low), Math.max(low, high));
}
// src/picture/view.ts
const EXTREME = 8;
const MOST_ZOOM = 64;
function usualAxes({ width, height }) {
	return Math.max(width, height) >= EXTREME * Math.max(1, Math.min(width, height)) ? "own" : "equal";
}
function viewOf({ zoom, x, y, axes }, array, canvas) {
	const found = axes || usualAxes(array);
	return zoom === "fit" ? fitted(array, canvas, found) : kept({
		zoomX: zoom.x,
		zoomY: zoom.y,
		x,
		y
	}, array, canvas, found);
}
function fitted(array, canvas, axes = "equal") {
	const fit = (room, whole) => Math.max(1e-6, room / Math.max(1, whole));
	const [x, y] = [fit(canvas.width, array.width), fit(canvas.height, array.height)];
	const [zoomX, zoomY] = axes === "own" ? [x, y] : [Math.min(x, y), Math.min(x, y)];
	return {
		zoomX,
		zoomY,
		x: array.width / 2,
		y: array.height / 2
	};
}
function kept(view, array, canvas, axes = "equal") {
	const fit = fitted(array, canvas, axes);
	const within = (zoom, fitting) => clamp(zoom, Math.min(1, fitting), Math.max(MOST_ZOOM, fitting));
	const zoomX = within(view.zoomX, fit.zoomX);
	const zoomY = axes === "own" ? within(view.zoomY, fit.zoomY) : zoomX;
	const keep = (at, whole, room, zoom) => {
		const seen = room / zoom;
		const middle = seen >= whole ? whole / 2 : clamp(at, seen / 2, whole - seen / 2);
		return (room / 2 - Math.round(room / 2 - middle * zoom)) / zoom;
	};
	return {
		zoomX,
		zoomY,
		x: keep(view.x, array.width, canvas.width, zoomX),
		y: keep(view.y, array.height, canvas.height, zoomY)
	};
}
// src/picture/worker.ts
const BARS = 180;
const TELL_MS = 250;
const TELL_SOON_MS = 30;
const PLAIN_MS = 50;
const DRAWN_MS = 1e3;
const say = (message, transfer = []) => postMessage(message, { transfer });
var Worker = class {
	painter = null;
	feeds = null;
	picture = null;
	waiting = null;
	source = null;
	look = null;
	sight = null;
	hold = false;
	cross = null;
	line = null;
	histogram = new Histogram();
	limits = {
		low: 0,
		high: 1
	};
	toldAt = -Infinity;
	tellAt = 0;
	telling;
	arrivals = [];
	drawn = false;
	isNew = false;
	whenDrawn = () => {};
	asking = false;
	take(message) {
		switch (message.kind) {
			case "ahead":
				this.ahead(message);
				return;
			case "start": return this.start(message);
			case "source":
				this.turnTo(message.from);
				this.wish();
				return this.redraw();
			case "look":
				if (message.look.map !== this.look?.map) this.painter?.setColours(colours(message.look.map));
				this.look = message.look;
				this.choose();
				this.tell(TELL_SOON_MS);
				return this.redraw();
			case "sight":
				this.sight = message.sight;
				this.wish();
				return this.redraw();
			case "hold":
				this.hold = message.hold;
				if (!this.hold && this.waiting) this.show(this.waiting);
				return this.stop(this.hold);
			case "seen": return this.stop(!message.seen || this.hold);
			case "cross":
				this.cross = message.at;
				return this.tellCross();
			case "line":
				this.line = message.line;
				return this.tellLine();
			case "save":
				this.save(message.as, message.name);
				return;
		}
	}
	start({ canvas, base, drawing }) {
		try {
			this.painter = painterOn(canvas, drawing);
		} catch (problem) {
			return say({
				kind: "problem",
				text: problem.message
			});
		}
		if (this.look) this.painter.setColours(colours(this.look.map));
		this.open(base);
		if (this.picture) this.show(this.picture);
		this.wish();
	}
	async ahead({ base, from, fit }) {
		this.source = from;
		try {
			const answer = await fetch(`${base}/api/v1/picture?${new URLSearchParams({
				from,
				as: "raw",
				fit: fit.map(even).join(",")
			})}`);
			if (answer.status !== 200) return;
			const picture = readPicture(await answer.arrayBuffer(), answer.headers.get("livetime-place"));
			if (this.picture === null && this.source === from) this.show(picture);
		} catch {}
	}
	open(base) {
		const frame = (next) => this.hold ? void (this.waiting = next) : this.shown(next);
		const listener = {
			frame,
			problem: (text) => say({
				kind: "unanswered",
				text
			})
		};
		this.feeds = {
			live: new Feed(base, readPicture, listener),
			still: new Still(base, readPicture, listener)
		};
		this.stop(false);
	}
	get feed() {
		return this.source !== null && isStill(this.source) ? this.feeds?.still : this.feeds?.live;
	}
	stop(stopped) {
		this.feeds?.live.stop(stopped);
		this.feeds?.still.stop(stopped);
	}
	turnTo(from) {
		if (!(from !== null && this.source !== null && detectorOf(from) === detectorOf(this.source))) {
			this.feed?.want(null);
			this.picture = null;
		}
		this.source = from;
		this.hold = false;
	}
	wish() {
		if (!this.feed || !this.sight) return;
		if (this.source === null) return this.feed.want(null);
		const { canvas, density } = this.sight;
		const most = [even(canvas.width * density * 2), even(canvas.height * density * 2)];
		const region = this.seenRegion();
		const axes = this.isOwn() ? { axes: "own" } : {};
		this.feed.want({
			from: this.source,
			region,
			fit: most,
			reduce: "max",
			as: "native",
			...axes
		});
	}
	seenRegion() {
		const view = this.view();
		if (!view || !this.sight || !this.picture || this.sight.zoom === "fit") return null;
		const { fullWidth, fullHeight } = this.picture.header;
		const part = (at, seen, whole) => {
			const margin = seen / 4;
			const grid = 64;
			const low = Math.max(0, Math.floor((at - seen / 2 - margin) / grid) * grid);
			const high = Math.min(whole, Math.ceil((at + seen / 2 + margin) / grid) * grid);
			return [low, Math.max(1, high - low)];
		};
		const [x, width] = part(view.x, this.sight.canvas.width / view.zoomX, fullWidth);
		const [y, height] = part(view.y, this.sight.canvas.height / view.zoomY, fullHeight);
		return width >= fullWidth && height >= fullHeight ? null : [
			x,
			y,
			width,
			height
		];
	}
	shown(picture) {
		this.show(picture);
		const next = performance.now() + (this.painter?.kind === "plain" ? PLAIN_MS : 0);
		return new Promise((done) => {
			this.whenDrawn = () => setTimeout(done, next - performance.now());
			setTimeout(done, DRAWN_MS);
		});
	}
	show(picture) {
		const first = this.picture === null;
		const moved = this.picture?.place !== picture.place;
		this.picture = picture;
		this.isNew = true;
		this.waiting = null;
		const now = performance.now();
		this.arrivals = [...this.arrivals.filter((at) => now - at < 2e3), now];
		const { header } = picture;
		try {
			this.painter?.setPixels(drawable(picture.pixels), header.width * header.colours, header.height);
		} catch (problem) {
			say({
				kind: "problem",
				text: problem.message
			});
		}
		if (first) this.wish();
		this.tell(moved ? 0 : TELL_MS);
		this.redraw();
	}
	view() {
		if (!this.sight || !this.picture) return null;
		const { fullWidth: width, fullHeight: height } = this.picture.header;
		return viewOf(this.sight, {
			width,
			height
		}, this.sight.canvas);
	}
	isOwn() {
		if (!this.sight || !this.picture) return this.sight?.axes === "own";
		const { fullWidth: width, fullHeight: height } = this.picture.header;
		return (this.sight.axes || usualAxes({
			width,
			height
		})) === "own";
	}
	redraw() {
		if (this.drawn) return;
		this.drawn = true;
		requestAnimationFrame(() => {
			this.drawn = false;
			if (!this.draw()) return;
			this.whenDrawn();
			if (this.isNew && this.picture) say({
				kind: "shown",
				sequence: this.picture.header.sequence.toString()
			});
			this.isNew = false;
		});
	}
	draw() {
		const { painter, sight, look } = this;
		if (!painter || !sight || !look) return false;
		const width = Math.max(1, Math.round(sight.canvas.width * sight.density));
		const height = Math.max(1, Math.round(sight.canvas.height * sight.density));
		if (painter.canvas.width !== width || painter.canvas.height !== height) [painter.canvas.width, painter.canvas.height] = [width, height];
		const view = this.view();
		if (!view || !this.picture) {
			painter.draw({
				...this.limits,
				scale: look.scale
			}, null, look.outside, look.invalid);
			return true;
		}
		const { header } = this.picture;
		const left = view.x - sight.canvas.width / 2 / view.zoomX;
		const top = view.y - sight.canvas.height / 2 / view.zoomY;
		const part = {
			x: (left - header.x) / header.binX,
			stepX: 1 / view.zoomX / sight.density / header.binX,
			y: (top - header.y) / header.binY,
			stepY: 1 / view.zoomY / sight.density / header.binY
		};
		painter.draw({
			...this.limits,
			scale: look.scale
		}, part, look.outside, look.invalid, header.colours);
		return true;
	}
	tell(every = TELL_MS) {
		const at = this.toldAt + every;
		if (this.telling !== void 0 && at >= this.tellAt) return;
		clearTimeout(this.telling);
		this.tellAt = at;
		this.telling = setTimeout(() => {
			this.telling = void 0;
			if (!this.painter || !this.look) return;
			this.toldAt = performance.now();
			this.count();
		}, Math.max(0, at - performance.now()));
		if (this.toldAt < 0 && this.picture) this.choose(this.histogram.fill(this.picture.pixels));
	}
	count() {
		const { picture, look, histogram, painter } = this;
		if (!picture || !look || !painter) return;
		const { low, high } = this.limits;
		this.choose(histogram.fill(picture.pixels));
		if (this.limits.low !== low || this.limits.high !== high) this.redraw();
		const { header } = picture;
		const bars = histogram.bars(BARS, look.scale);
		const [first = 0, last = 0] = [this.arrivals[0], this.arrivals.at(-1)];
		const info = {
			sequence: header.sequence.toString(),
			dtype: header.dtype,
			colours: header.colours,
			full: {
				width: header.fullWidth,
				height: header.fullHeight
			},
			size: {
				width: header.width,
				height: header.height
			},
			place: picture.place,
			binX: header.binX,
			binY: header.binY,
			reduce: header.reduce,
			held: header.held,
			damaged: header.damaged,
			leftOut: header.leftOut,
			ageMs: header.ageUs / 1e3,
			shownHz: last > first ? (this.arrivals.length - 1) * 1e3 / (last - first) : 0,
			drawing: painter.kind,
			min: histogram.min,
			max: histogram.max,
			mean: histogram.mean,
			atLimit: histogram.atLimit,
			invalid: histogram.invalid,
			...this.limits,
			bars
		};
		say({
			kind: "picture",
			info
		}, [bars.buffer]);
		this.tellCross();
		this.tellLine();
	}
	tellLine() {
		if (!this.picture || !this.line) return;
		const values = valuesAlong(this.line, this.picture.header, this.picture.pixels);
		say({
			kind: "line",
			values
		}, [values.buffer]);
	}
	choose(histogram = this.histogram) {
		if (!this.look || histogram.count === 0) return;
		const { contrast } = this.look;
		this.limits = "low" in contrast ? {
			low: contrast.low,
			high: contrast.high
		} : {
			low: histogram.percentile(contrast.percentLow),
			high: histogram.percentile(contrast.percentHigh)
		};
		if (!("low" in contrast) && this.limits.low >= this.limits.high) this.limits = {
			low: histogram.min,
			high: Math.max(histogram.max, histogram.min + 1)
		};
	}
	tellCross() {
		const { picture, cross } = this;
		if (!picture || !cross) return;
		const { header, pixels } = picture;
		const column = Math.floor((cross.x - header.x) / header.binX);
		const row = Math.floor((cross.y - header.y) / header.binY);
		const inside = column >= 0 && row >= 0 && column < header.width && row < header.height;
		const at = (x, y) => Number(pixels[(y * header.width + x) * header.colours]);
		const along = inside ? Float32Array.from({ length: header.width }, (_, x) => at(x, row)) : new Float32Array();
		const down = inside ? Float32Array.from({ length: header.height }, (_, y) => at(column, y)) : new Float32Array();
		const exact = header.reduce === "none";
		const found = {
			...cross,
			value: inside && exact ? this.text(column, row) : null,
			exact,
			row: along,
			column: down,
			x0: header.x,
			y0: header.y,
			stepX: header.binX,
			stepY: header.binY
		};
		say({
			kind: "cross",
			cross: found
		}, [along.buffer, down.buffer]);
		if (inside && !exact) this.askCross(found);
	}
	text(column, row) {
		const { header, pixels } = this.picture;
		const first = (row * header.width + column) * header.colours;
		return Array.from({ length: header.colours }, (_, i) => String(pixels[first + i])).join(", ");
	}
	async save(as, of) {
		const { picture, painter } = this;
		if (!picture || !painter) return;
		const name = `${nameOf(of, picture.header, isStill(this.source ?? ""))}.${as}`;
		const file = as === "npy" ? new Blob([npyOf(picture)]) : await painter.canvas.convertToBlob({ type: "image/png" });
		say({
			kind: "saved",
			file,
			name
		});
	}
	async askCross(cross) {
		if (this.asking) return;
		this.asking = true;
		const value = await this.feed?.valueAt(cross.x, cross.y).catch(() => null);
		this.asking = false;
		if (value === null || value === void 0 || this.cross?.x !== cross.x || this.cross.y !== cross.y) return;
		say({
			kind: "cross",
			cross: {
				...cross,
				value: String(value),
				row: new Float32Array(),
				column: new Float32Array()
			}
		});
	}
};
const even = (n) => Math.max(128, Math.ceil(n / 128) * 128);
function drawable(pixels) {
	return pixels instanceof BigInt64Array || pixels instanceof BigUint64Array || pixels instanceof Float64Array ? Float32Array.from(pixels, Number) : pixels;
}
function painterOn(canvas, drawing) {
	return ((drawing === "" ? isByCard() : drawing === "webgl") ? GlPainter.on(canvas) : null) ?? new PlainPainter(canvas);
}
let isDrawnByCard;
const isByCard = () => isDrawnByCard ??= hasCard();
setTimeout(isByCard, 20);
const worker = new Worker();
onmessage = (event) => worker.take(event.data);
