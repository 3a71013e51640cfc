import { DefaultReporter } from 'vitest/node';
import type { TestCase, TestModule } from 'vitest/node';

type RunEnd = Parameters<DefaultReporter['onTestRunEnd']>;

/**
 * Vitest's own report, then what was skipped, by name, then, alone on the last line, `N passed, N failed, N skipped`.
 * These are tests; but what fails outside of one (a file that does not load, a hook) counts as failed too, so that
 * nothing that went wrong ends in `0 failed`.
 */
export default class Reporter extends DefaultReporter {
  override onTestRunEnd(...[modules, unhandled, reason]: RunEnd): void {
    super.onTestRunEnd(modules, unhandled, reason);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    const outside = modules.flatMap(errorsOutsideTests).length + unhandled.length;
    const failed = inState('failed').length + outside;
    const passed = inState('passed').length;
    const skipped = [...inState('skipped'), ...inState('pending')];
    for (const name of new Set(skipped.map(skippedName))) this.ctx.logger.log(`not run: ${name}`);
    this.ctx.logger.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
  }
}

function errorsOutsideTests(module: TestModule): unknown[] {
  return [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())];
}

/** The outermost of what was skipped as a whole. */
function skippedName(test: TestCase): string {
  let name: string = test.fullName;
  for (let node = test.parent; node.type === 'suite'; node = node.parent) {
    if (node.options.mode === 'skip') name = node.fullName;
  }
  return `${test.module.relativeModuleId} > ${name}`;
}
