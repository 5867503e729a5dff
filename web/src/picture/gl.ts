/** Draws one array through a colour map with WebGL2. Integer types up to 32 bits and 32-bit floats lie in the texture exactly. */

import { warp, type Pixels, type Scale } from '../model/contrast';
import type { Colour, Limits, Painter, Part } from './painter';
import { VERTEX, fragment } from './shaders';

/** How a texture is declared for one type of pixel. */
interface Format {
  sampler: 'usampler2D' | 'isampler2D' | 'sampler2D';
  internal: GLenum;
  format: GLenum;
  type: GLenum;
}

interface Program {
  program: WebGLProgram;
  at: Record<string, WebGLUniformLocation | null>;
}

const UNIFORMS = ['pixels', 'colours', 'canvas', 'origin', 'step_', 'low', 'high', 'scale', 'perPixel', 'outside', 'invalid'];
const SCALES: Record<Scale, number> = { linear: 0, log: 1, root: 2 };

/** Names of WebGL renderers that run on the processor. Not all browsers admit it when a context without such a renderer
 * is requested. */
const BY_PROCESSOR = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Whether a graphics card draws WebGL2 in this browser. */
export function hasCard(): boolean {
  const gl = new OffscreenCanvas(1, 1).getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  // Some tell it only of the one name, some only of the other.
  const names = [gl.getExtension('WEBGL_debug_renderer_info')?.UNMASKED_RENDERER_WEBGL, gl.RENDERER];
  const found = names.some((name) => name !== undefined && BY_PROCESSOR.test(String(gl.getParameter(name))));
  // Browsers allow few contexts; this one is only a question.
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return !found;
}

export class GlPainter implements Painter {
  readonly kind = 'webgl';
  private readonly gl: WebGL2RenderingContext;
  private readonly programs = new Map<string, Program>();
  private readonly colourMap: WebGLTexture;
  private pixels: WebGLTexture | null = null;
  private format: Format | null = null;
  private held = { width: 0, height: 0, internal: 0 };

  private constructor(readonly canvas: OffscreenCanvas, gl: WebGL2RenderingContext) {
    this.gl = gl;
    this.colourMap = this.texture();
    // Rows of a picture are packed, whatever their length.
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  }

  /** `null` when this browser has no WebGL2; the canvas can then be drawn otherwise. */
  static on(canvas: OffscreenCanvas): GlPainter | null {
    // `preserveDrawingBuffer`: the picture is read back when it is saved.
    const gl = canvas.getContext('webgl2', { alpha: false, antialias: false, depth: false, preserveDrawingBuffer: true });
    return gl && new GlPainter(canvas, gl);
  }

  get largestSide(): number {
    return this.gl.getParameter(this.gl.MAX_TEXTURE_SIZE) as number;
  }

  setColours(table: Uint8Array): void {
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.colourMap);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
  }

  setPixels(pixels: Pixels, width: number, height: number): void {
    const { gl } = this;
    if (Math.max(width, height) > this.largestSide) {
      throw new Error(`a picture of ${width} x ${height} is larger than the largest texture, ${this.largestSide}`);
    }
    const format = formatOf(gl, pixels);
    this.pixels ??= this.texture();
    gl.bindTexture(gl.TEXTURE_2D, this.pixels);
    // A texture of the same size is written again, which saves its allocation.
    const same = this.held.width === width && this.held.height === height && this.held.internal === format.internal;
    const data = pixels as Uint8Array;
    if (same) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, format.format, format.type, data);
    else gl.texImage2D(gl.TEXTURE_2D, 0, format.internal, width, height, 0, format.format, format.type, data);
    this.held = { width, height, internal: format.internal };
    this.format = format;
  }

  clear(outside: Colour): void {
    const { gl } = this;
    gl.clearColor(outside[0] / 255, outside[1] / 255, outside[2] / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
  }

  draw(look: Limits, part: Part | null, outside: Colour, invalid: Colour, colours = 1): void {
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
    // A span of 0 would divide by zero in the shader.
    gl.uniform1f(at.high ?? null, Math.max(warp(look.high, look.scale), low + 1e-6));
    gl.uniform1i(at.scale ?? null, SCALES[look.scale]);
    gl.uniform1i(at.perPixel ?? null, colours);
    gl.uniform4f(at.outside ?? null, outside[0] / 255, outside[1] / 255, outside[2] / 255, 1);
    gl.uniform4f(at.invalid ?? null, invalid[0] / 255, invalid[1] / 255, invalid[2] / 255, 1);
    // One triangle larger than the canvas: no vertices to keep, no seam.
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  private bind(unit: number, texture: WebGLTexture, at: WebGLUniformLocation | null | undefined): void {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.uniform1i(at ?? null, unit);
    gl.activeTexture(gl.TEXTURE0);
  }

  private texture(): WebGLTexture {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    // Pixels must be seen as they are, without interpolation.
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
    return texture;
  }

  private program(sampler: string): Program {
    const known = this.programs.get(sampler);
    if (known) return known;
    const { gl } = this;
    const program = gl.createProgram();
    gl.attachShader(program, this.shader(gl.VERTEX_SHADER, VERTEX));
    gl.attachShader(program, this.shader(gl.FRAGMENT_SHADER, fragment(sampler)));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) ?? 'no program');
    const at = Object.fromEntries(UNIFORMS.map((name) => [name, gl.getUniformLocation(program, name)]));
    // Compiled once for each kind of sampler.
    this.programs.set(sampler, { program, at });
    return { program, at };
  }

  private shader(kind: GLenum, source: string): WebGLShader {
    const { gl } = this;
    const shader = gl.createShader(kind);
    if (!shader) throw new Error('the graphics context is lost');
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? 'no shader');
    return shader;
  }
}

function formatOf(gl: WebGL2RenderingContext, pixels: Pixels): Format {
  const unsigned = (internal: GLenum, type: GLenum): Format =>
    ({ sampler: 'usampler2D', internal, format: gl.RED_INTEGER, type });
  const signed = (internal: GLenum, type: GLenum): Format =>
    ({ sampler: 'isampler2D', internal, format: gl.RED_INTEGER, type });
  if (pixels instanceof Uint8Array) return unsigned(gl.R8UI, gl.UNSIGNED_BYTE);
  if (pixels instanceof Uint16Array) return unsigned(gl.R16UI, gl.UNSIGNED_SHORT);
  if (pixels instanceof Uint32Array) return unsigned(gl.R32UI, gl.UNSIGNED_INT);
  if (pixels instanceof Int8Array) return signed(gl.R8I, gl.BYTE);
  if (pixels instanceof Int16Array) return signed(gl.R16I, gl.SHORT);
  if (pixels instanceof Int32Array) return signed(gl.R32I, gl.INT);
  if (pixels instanceof Float32Array) return { sampler: 'sampler2D', internal: gl.R32F, format: gl.RED, type: gl.FLOAT };
  throw new Error('64-bit values must be converted before they are drawn');
}
