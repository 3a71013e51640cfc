import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import {
  BigValueGraphMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  VariableRefresh,
} from '@grafana/grafana-foundation-sdk/dashboard';
import type { Dashboard, Panel as GrafanaPanel } from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { sections } from './sections.ts';
import type { Panel, Query } from './panels.ts';

const WHOLE_WIDTH = 24;
const datasource = { type: 'prometheus', uid: '${datasource}' }; // oxlint-disable-line no-template-curly-in-string -- Grafana's own

/** The dashboard, in the form that Grafana imports: rows of what {@link sections} say. */
export function buildDashboard(): Dashboard {
  const builder = new DashboardBuilder('Sightline')
    .uid('sightline')
    .description('Gateways, weekly job and verification. Made by `npm run dashboard`.')
    .tags(['sightline'])
    .timezone('browser')
    .refresh('30s')
    .time({ from: 'now-6h', to: 'now' })
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'))
    .withVariable(
      new QueryVariableBuilder('instance')
        .label('Gateway')
        .datasource(datasource)
        .query('label_values(sightline_process_start_time_seconds, instance)')
        .refresh(VariableRefresh.OnTimeRangeChanged)
        .multi(true)
        .includeAll(true)
        .allValue('.*'),
    );
  let id = 0;
  for (const { title, panels } of sections) {
    builder.withRow(new RowBuilder(title).id(++id));
    for (const panel of panels) builder.withPanel(panelOf(panel, ++id, WHOLE_WIDTH / panels.length));
  }
  return builder.build();
}

function panelOf(panel: Panel, id: number, width: number): Builder<GrafanaPanel> {
  const { title, description, unit } = panel;
  const targets = panel.queries.map(targetOf);
  const common = (builder: StatBuilder | TimeseriesBuilder) =>
    builder.id(id).title(title).description(description).unit(unit).datasource(datasource).targets(targets);
  if (panel.kind === 'figure') {
    const stat = new StatBuilder()
      .height(4)
      .span(width)
      .graphMode(BigValueGraphMode.None)
      .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
      .thresholds(thresholdsOf(panel));
    common(stat);
    return stat;
  }
  const graph = new TimeseriesBuilder()
    .height(8)
    .span(width)
    .min(0)
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi));
  common(graph);
  return graph;
}

function targetOf({ expr, legend }: Query, index: number): Builder<Dataquery> {
  return new DataqueryBuilder()
    .refId(String.fromCodePoint(65 + index))
    .datasource(datasource)
    .expr(expr)
    .legendFormat(legend)
    .range();
}

function thresholdsOf({ limits }: Panel): ThresholdsConfigBuilder {
  const config = new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute);
  if (limits === undefined) return config.steps([{ value: null, color: 'green' }]);
  const { orange, red, below } = limits;
  return config.steps(
    below
      ? [
          { value: null, color: 'red' },
          { value: red, color: 'orange' },
          { value: orange, color: 'green' },
        ]
      : [
          { value: null, color: 'green' },
          { value: orange, color: 'orange' },
          { value: red, color: 'red' },
        ],
  );
}
