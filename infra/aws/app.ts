import { readParameters } from './parameters.ts';
import { checkedApp, sightline } from './sightline.ts';

const app = checkedApp();
const given: unknown = app.node.tryGetContext('sightline');
const tag: unknown = app.node.tryGetContext('tag');
sightline(app, readParameters(given === undefined || tag === undefined ? given : { ...given, tag }));
app.synth();
