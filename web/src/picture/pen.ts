/** An empty canvas of this size in device pixels to draw on. A canvas that keeps its size keeps its memory. */
export function penOn(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const [w, h] = [Math.max(1, Math.floor(width)), Math.max(1, Math.floor(height))];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const pen = canvas.getContext('2d') as CanvasRenderingContext2D;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.globalAlpha = 1;
  pen.clearRect(0, 0, w, h);
  return pen;
}
