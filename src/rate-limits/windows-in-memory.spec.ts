import { fixedWindowsContract } from '../../test/contracts/fixed-windows.contract.js';
import { WindowsInMemory } from './windows-in-memory.js';

fixedWindowsContract('in memory', () => new WindowsInMemory());
