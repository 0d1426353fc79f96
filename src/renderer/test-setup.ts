import { configure } from '@testing-library/react';

// One second, the library's default, is too short on a machine that runs other work.
configure({ asyncUtilTimeout: 15_000 });
