/** The two shaders of a picture. Contrast, scale, colour map and zoom are uniforms: changing them moves no pixel. */

export const VERTEX = `#version 300 es
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
}`;

/**
 * `sampler` is `usampler2D`, `isampler2D` or `sampler2D`. Where several texels fall on one pixel of the screen, the largest is
 * shown, so that a single bright pixel never vanishes; at most 8 x 8 are looked at.
 */
export const fragment = (sampler: string) => `#version 300 es
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
