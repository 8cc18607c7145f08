// A check for clang-tidy that makes all other checks look at our declarations only.
//
// Up to clang-tidy 20, each check walks every declaration that a source includes, and what it finds
// in system headers is thrown away afterwards: half of the time. clangd, and clang-tidy from 21 on,
// limit the walk as this does. What a check of ours needs to know about a system header it asks the
// AST, which is whole; the sources in tests/ci/style/broken show that mistakes are still found.
#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/AST/ASTContext.h>
#include <clang/ASTMatchers/ASTMatchers.h>

namespace {

class OursOnly : public clang::tidy::ClangTidyCheck {
  public:
    using ClangTidyCheck::ClangTidyCheck;

    void registerMatchers(clang::ast_matchers::MatchFinder* finder) override {
        finder->addMatcher(clang::ast_matchers::translationUnitDecl().bind("unit"), this);
    }

    // The unit is matched before its children are walked, so the scope is in force for these.
    void check(const clang::ast_matchers::MatchFinder::MatchResult& result) override {
        const auto* unit = result.Nodes.getNodeAs<clang::TranslationUnitDecl>("unit");
        std::vector<clang::Decl*> ours;
        for (clang::Decl* declaration : unit->noload_decls()) {
            const clang::SourceLocation at =
                result.SourceManager->getExpansionLoc(declaration->getLocation());
            if (at.isValid() && !result.SourceManager->isInSystemHeader(at))
                ours.push_back(declaration);
        }
        result.Context->setTraversalScope(ours);
    }
};

class Module : public clang::tidy::ClangTidyModule {
  public:
    void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
        factories.registerCheck<OursOnly>("zcrxlab-ours-only");
    }
};

const clang::tidy::ClangTidyModuleRegistry::Add<Module> kModule("zcrxlab", "limits all others");

}  // namespace
