import { DefaultReporter } from 'vitest/node';
import type { TestCase, TestModule } from 'vitest/node';

type RunEnd = Parameters<DefaultReporter['onTestRunEnd']>;

/**
 * Vitest's own report, then the names of skipped tests, then the last line `N passed, N failed, N skipped`. Failures
 * outside of a test (a file that does not load, a hook) count as failed tests too, so that no error ends in `0 failed`.
 * Tests that `npm test` leaves to `npm run test:all` are counted in a separate line. If `CI` is `true`, a skipped test
 * makes the run fail.
 */
export default class Reporter extends DefaultReporter {
  override onTestRunEnd(...[modules, unhandled, reason]: RunEnd): void {
    super.onTestRunEnd(modules, unhandled, reason);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    const outside = modules.flatMap(errorsOutsideTests).length + unhandled.length;
    const failed = inState('failed').length + outside;
    const passed = inState('passed').length;
    const notRun = [...inState('skipped'), ...inState('pending')];
    const left = notRun.filter((test) => this.isLeftToAll(test));
    const skipped = notRun.filter((test) => !this.isLeftToAll(test));
    for (const name of new Set(skipped.map(skippedName))) this.say(`NOT RUN: ${name}`);
    if (left.length > 0) {
      this.say(
        `npm run test:all runs ${left.length} more tests of these files, and test/infra and test/rehearsal`,
      );
    }
    if (skipped.length > 0 && process.env['CI'] === 'true') {
      this.say('In CI no test may be skipped: this run has failed.');
      process.exitCode = 1;
    }
    this.say(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
  }

  private say(line: string): void {
    this.ctx.logger.log(line);
  }

  private isLeftToAll({ tags }: TestCase): boolean {
    return (
      this.ctx.config.tagsFilter !== undefined && tags.some((tag) => tag === 'machine' || tag === 'long')
    );
  }
}

function errorsOutsideTests(module: TestModule): unknown[] {
  return [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())];
}

/** The outermost suite that was skipped completely. */
function skippedName(test: TestCase): string {
  let name: string = test.fullName;
  for (let node = test.parent; node.type === 'suite'; node = node.parent) {
    if (node.options.mode === 'skip') name = node.fullName;
  }
  return `${test.module.relativeModuleId} > ${name}`;
}
