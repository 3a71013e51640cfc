import { showContents } from './contents.js';

showContents();
