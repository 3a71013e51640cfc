import { refuse } from './sheet.ts';

/** A builder whose methods return it, as those of `cc.getConfig()` and the fields do. Others do not exist. */
function builder(state: object, setters: readonly string[], more: object = {}) {
  const self: Record<string, unknown> = { ...more };
  for (const name of setters)
    self[`set${name}`] = (value: unknown) => {
      refuse(value === undefined || value === null, `${name}: no value`);
      Object.assign(state, { [name]: value });
      return self;
    };
  return self;
}

export const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]));

interface Field {
  Id: string;
  Name: string;
  Type: string;
  Aggregation?: string;
  isMetric: boolean;
}

function fieldsOf(list: Field[]) {
  const add = (isMetric: boolean) => {
    const field = { isMetric } as Field;
    list.push(field);
    return builder(field, ['Id', 'Name', 'Type', 'Description', ...(isMetric ? ['Aggregation'] : [])]);
  };
  return {
    list,
    newDimension: () => add(false),
    newMetric: () => add(true),
    asArray: () => list.map((field) => ({ getId: () => field.Id })),
    forIds: (ids: string[]): object =>
      fieldsOf(ids.map((id) => list.find(({ Id }) => Id === id)!).filter(Boolean)),
  };
}

function response(fields: ReturnType<typeof fieldsOf> | null = null, rows: unknown[][] = []): object {
  return {
    setFields: (given: ReturnType<typeof fieldsOf>) => response(given, rows),
    addAllRows(given: unknown[][]) {
      const isFit = given.every(
        (row) =>
          row.length === fields!.list.length &&
          row.every((cell) => cell === null || ['string', 'number', 'boolean'].includes(typeof cell)),
      );
      refuse(!isFit, 'The row does not match the fields.');
      return response(fields, [...rows, ...given]);
    },
    build: () => ({ fields: fields!.list, rows }),
  };
}

/** `DataStudioApp.createCommunityConnector()`. */
export function communityConnector() {
  const config: { select: object[]; options: object[] } & Record<string, unknown> = {
    select: [],
    options: [],
  };
  return {
    AuthType: named('KEY', 'NONE'),
    FieldType: named('TEXT', 'NUMBER', 'BOOLEAN', 'YEAR_MONTH_DAY', 'YEAR_MONTH_DAY_SECOND'),
    AggregationType: named('SUM', 'AVG'),
    newAuthTypeResponse: () => {
      const state = {};
      return builder(state, ['AuthType', 'HelpUrl'], { build: () => state });
    },
    getConfig: () => ({
      newSelectSingle() {
        const select = {};
        config.select.push(select);
        const more = { addOption: (option: object) => void config.options.push(option) };
        return builder(select, ['Id', 'Name', 'HelpText', 'AllowOverride'], more);
      },
      newOptionBuilder: () => {
        const state = {};
        return builder(state, ['Label', 'Value'], { state });
      },
      setDateRangeRequired: (isRequired: boolean) => Object.assign(config, { isRequired }),
      build: () => config,
    }),
    getFields: () => fieldsOf([]),
    newGetSchemaResponse: () => response(),
    newGetDataResponse: () => response(),
    newUserError: () => {
      const state = { Text: '' };
      const throwException = () => {
        throw new Error(state.Text);
      };
      return builder(state, ['Text', 'DebugText'], { throwException });
    },
  };
}
