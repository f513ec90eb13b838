import { execFileSync } from 'node:child_process';
import { restoreFastStrings } from './fast-strings';

it('makes the methods of strings fast again after a class has extended String', () => {
  const program = `
    const isFast = () => %HasFastProperties(String.prototype);
    const restoreFastStrings = ${restoreFastStrings.toString()};
    const before = isFast();
    class Verbatim extends String {}
    const extended = isFast();
    restoreFastStrings();
    console.log([before, extended, isFast()].join());`;
  const said = execFileSync(process.execPath, ['--allow-natives-syntax', '-e', program], { encoding: 'utf8' });
  expect(said.trim()).toBe('true,false,true');
});
