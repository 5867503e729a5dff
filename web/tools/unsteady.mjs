// Names the tests that failed at first and passed when they were repeated, with their first error. `cargo xtask test` reads these lines.
export default class Unsteady {
  onTestRunEnd(modules) {
    for (const module of modules) for (const test of module.children.allTests()) tell(module, test);
  }
}

function tell(module, test) {
  const result = test.result();
  if (result.state !== 'passed' || !test.diagnostic()?.retryCount) return;
  const why = result.errors?.[0]?.message?.split('\n')[0] ?? 'without an error';
  console.log(`unsteady: ${module.relativeModuleId} > ${test.fullName}: ${why}`);
}
