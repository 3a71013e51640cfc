export type Value = string | number | boolean | Date;

/** What a script may do wrong; the real services throw, too. */
export function refuse(isWrong: boolean, message: string): void {
  if (isWrong) throw new Error(message);
}

/** A tab: cells that were not written are ''. */
export class Sheet {
  cells: Value[][] = [];
  maxRows = 1000;
  maxColumns = 26;
  formulas = 0;
  getLastRow = () => this.cells.length;
  getLastColumn = () => Math.max(0, ...this.cells.map((row) => row.length));
  getMaxRows = () => this.maxRows;
  getMaxColumns = () => this.maxColumns;
  insertRowsAfter(_after: number, count: number) {
    refuse(count < 1, 'Those rows are out of bounds.');
    this.maxRows += count;
  }
  insertColumnsAfter(_after: number, count: number) {
    refuse(count < 1, 'Those columns are out of bounds.');
    this.maxColumns += count;
  }
  deleteRows(first: number, count: number) {
    refuse(first < 1 || count < 1 || first + count - 1 > this.maxRows, 'Those rows are out of bounds.');
    refuse(count >= this.maxRows, "You can't delete all the rows on the sheet.");
    this.cells.splice(first - 1, count);
    this.maxRows -= count;
  }
  getRange(row: number, column: number, rows = 1, columns = 1) {
    refuse(row < 1 || column < 1, 'The starting row of the range is too small.');
    refuse(rows < 1 || columns < 1, 'The number of rows in the range must be at least 1.');
    const isInside = row + rows - 1 <= this.maxRows && column + columns - 1 <= this.maxColumns;
    refuse(!isInside, 'The coordinates of the range are outside the dimensions of the sheet.');
    const at = (y: number, x: number) => this.cells[row - 1 + y]?.[column - 1 + x] ?? '';
    return {
      getValue: () => at(0, 0),
      getValues: () =>
        Array.from({ length: rows }, (_, y) => Array.from({ length: columns }, (__, x) => at(y, x))),
      setValues: (values: unknown[][]) => {
        const isExact = values.length === rows && values.every(({ length }) => length === columns);
        refuse(!isExact, 'The number of columns in the data does not match that of the range.');
        for (const [y, cells] of values.entries())
          for (const [x, cell] of cells.entries())
            (this.cells[row - 1 + y] ??= [])[column - 1 + x] = this.#entered(cell);
      },
    };
  }
  /** What a cell has after a value was entered: Sheets reads texts as a person's entry. */
  #entered(value: unknown): Value {
    const isCell = ['string', 'number', 'boolean'].includes(typeof value);
    refuse(!isCell, `Cannot convert ${String(value)} to a cell`);
    if (typeof value !== 'string') return value as Value;
    refuse(value.length > 50_000, 'Your input contains more than the maximum of 50000 characters.');
    if (value.startsWith("'")) return value.slice(1);
    this.formulas += Number(/^[=+]/.test(value));
    if (/^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/.test(value)) return new Date(`${value.replace(' ', 'T')}Z`);
    return value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
  }
}
