// The card on which people sign in: the name, a heading, one message, and the choice of language.

import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { Mark } from '../frame/Mark.tsx';
import { Offline } from '../frame/Offline.tsx';
import { LANGUAGES, type Language, useLanguage } from '../messages/provider.tsx';
import './sign-in.css';

export interface Said {
  readonly text: string;
  readonly wrong: boolean;
}

interface CardProps {
  readonly title: string;
  readonly said: Said | undefined;
  readonly children: ReactNode;
}

export function Card({ title, said, children }: CardProps) {
  const { language, choose } = useLanguage();
  return (
    <main className="sign-in">
      <title>{`${title} – Cartulary`}</title>
      <div>
        <div className="sign-in-card">
          <div className="sign-in-brand">
            <Mark /> Cartulary
          </div>
          <h1>{title}</h1>
          <Offline />
          <p role="alert" id="message" className={`message ${said?.wrong === true ? 'wrong' : ''}`}>
            {said?.text}
          </p>
          {children}
        </div>
        <div className="sign-in-foot">
          {(Object.keys(LANGUAGES) as Language[]).map((each) => (
            <Button
              key={each}
              className="button quiet"
              lang={each}
              aria-pressed={each === language}
              onPress={() => choose(each)}
            >
              {LANGUAGES[each].name}
            </Button>
          ))}
        </div>
      </div>
    </main>
  );
}
