import { configure } from '@testing-library/react';

// The library's default of one second is too short on a busy machine.
configure({ asyncUtilTimeout: 15_000 });
