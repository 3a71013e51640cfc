import { init } from './redoc.js';
import { withExamples } from './examples.js';

const description = await (await fetch('/openapi.json')).json();
init(
  withExamples(description, location.origin),
  {
    disableTelemetry: true,
    // The copies that it would offer are for a chat window elsewhere; nothing of this page leaves it.
    pageActions: { hide: true },
    jsonSamplesExpandLevel: 3,
    sortRequiredPropsFirst: false,
  },
  document.getElementById('reference'),
);
