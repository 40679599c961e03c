import type { Reading } from "./api";

const WIDTH = {{chart_width}};
const HEIGHT = 120;

/** The points of a polyline, the newest reading at the right. */
export function points(readings: Reading[]): string {
%% 1-1
  const step = WIDTH / readings.length;
%% 2
  if (readings.length === 0) {
    return "";
  }
  const step = WIDTH / Math.max(1, readings.length - 1);
%% 1
  return readings
    .map((it, index) => `${(index * step).toFixed(1)},${((1 - it.moisture) * HEIGHT).toFixed(1)}`)
    .join(" ");
}
%% 3

/** Marks the band in which a crop is content. */
export function band(low: number, high: number): { y: number; height: number } {
  return { y: (1 - high) * HEIGHT, height: (high - low) * HEIGHT };
}
