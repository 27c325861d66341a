import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

const clocksAndChance = [
  {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
    message: 'Time arrives with the command or event.',
  },
  {
    selector: 'MemberExpression[object.name="Date"][property.name="now"]',
    message: 'Time arrives with the command or event.',
  },
  {
    selector: 'MemberExpression[object.name="Math"][property.name="random"]',
    message: 'Chance arrives with the command.',
  },
];

export default tseslint.config(
  { ignores: ['dist/**', 'coverage/**', 'data/**', '*.cjs', 'src/console/api/openapi.d.ts'] },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './src/console/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      'no-console': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      // Prettier wraps code but not comments, and breaks no text and no import.
      'max-len': [
        'error',
        {
          code: 100,
          ignorePattern: '^import ',
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
        },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Nest modules are classes without members, by design.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // A port is async for the adapters that need it; an adapter that does not keeps the
      // signature.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Node, Express and Nest are used by shape; what they ask for is seldom made by its
      // constructor.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    files: ['src/features/*/domain/**/*.ts', 'src/**/*.projection.ts', 'src/kernel/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', ...clocksAndChance] },
  },
  {
    files: ['src/**/sqlite/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: ':matches(Literal[value=/LIMIT \\?/], TemplateElement[value.raw=/LIMIT \\?/])',
          message: 'SQLite would prepare it anew each time: src/event-sourcing/sqlite/limit.ts.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.controller.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: 'express',
          importNames: ['Request', 'Response'],
          message:
            'The compiled decorators would name the globals of fetch, which Node loads at each start in 36 ms: write express.Request.',
        },
      ],
    },
  },
  {
    // Describe blocks in one file share the start of a service, which costs more than the lines do.
    files: ['test/{service,project}/**/*.ts'],
    rules: { 'max-lines': ['error', { max: 350, skipBlankLines: true, skipComments: true }] },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { AbortSignal: 'readonly' } },
  },
  {
    // Programs of their own, which print what an operator must know.
    files: ['examples/**/*.mjs', 'deploy/**/*.mjs'],
    languageOptions: {
      globals: {
        AbortController: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        URLSearchParams: 'readonly',
        clearTimeout: 'readonly',
        performance: 'readonly',
        setTimeout: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        process: 'readonly',
        setInterval: 'readonly',
      },
    },
    rules: { 'no-console': 'off' },
  },
);
