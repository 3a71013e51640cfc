import type { Cell } from '../../../lib/tables/names.ts';

/** What belongs to an element of the page: a chart is drawn in it, a sheet is copied by its buttons. */
export type Part = Chart | Sheet;

/**
 * What a chart shows. The browser draws it in its place in the page, as wide as that is. Its numbers are also in a
 * table, and can be read with the arrow keys where the chart is over time.
 */
export type Chart = ScoresChart | RivalsChart | SharesChart | BarsChart;

export interface ScorePoint {
  /** YYYY-MM-DD */
  date: string;
  score: number;
  /** The drift band of that week; null if it is not known. */
  bandLow: number | null;
  bandHigh: number | null;
  isSignificant: boolean;
  modelsChanged: boolean;
}

/** Scores of one engine, on a scale from 0 to 100. */
export interface ScoresChart {
  kind: 'scores';
  title: string;
  /** Oldest first. */
  points: readonly ScorePoint[];
  /** What happened outside, drawn as vertical lines. */
  events: readonly { date: string; text: string }[];
  /** Both ends of the axis, the same for every engine; YYYY-MM-DD. */
  from: string;
  until: string;
  isLarge: boolean;
}

/** How often each name is named, over time. */
export interface RivalsChart {
  kind: 'rivals';
  title: string;
  lines: readonly {
    name: string;
    isBrand: boolean;
    /** Percentages, oldest first. */
    points: readonly { date: string; value: number }[];
  }[];
}

/** A percentage with its 95 % interval for each name, in the given order. */
export interface SharesChart {
  kind: 'shares';
  title: string;
  rows: readonly { name: string; low: number; value: number; high: number; isBrand: boolean }[];
}

/** Counts by name; below zero to the left. */
export interface BarsChart {
  kind: 'bars';
  title: string;
  rows: readonly { name: string; value: number; isOwn: boolean }[];
}

/** The exact values of a table: one in each cell. */
export interface Sheet {
  kind: 'sheet';
  /** For the name of a file. */
  name: string;
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}
