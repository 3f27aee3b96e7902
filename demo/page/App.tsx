import { Footer } from "./Footer.js";
import { Header } from "./Header.js";
import { Hero } from "./hero/Hero.js";
import { Section } from "./Section.js";
import { SECTIONS } from "./sections.js";

export function App() {
  return (
    <>
      <a className="skip" href={`#${SECTIONS[0]?.id}`}>
        Skip to the first section
      </a>
      <Header />
      <main className="page">
        <Hero />
        {SECTIONS.map(({ Content, ...section }) => (
          <Section key={section.id} {...section}>
            <Content />
          </Section>
        ))}
      </main>
      <Footer />
    </>
  );
}
